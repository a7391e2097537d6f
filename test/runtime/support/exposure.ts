/** Everything that the instance shows or keeps, but the agents' files: where a secret could come to light. */
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, vi } from "vitest";
import { TEXT_COLUMNS } from "../../../core/record/columns.ts";
import { type Bait, leaksIn } from "../../support/leaks.ts";
import { request } from "./api.ts";
import { storedRows } from "./objects.ts";
import { watch } from "./watched-world.ts";

export interface Exposure {
  readonly where: string;
  readonly text: string;
}

/** Keeps all that the instance logs from here on; call it once at the top of a test file. */
export function capturedLog(): readonly string[] {
  const lines: string[] = [];
  beforeAll(() => {
    for (const level of ["debug", "info", "log", "warn", "error"] as const)
      vi.spyOn(console, level).mockImplementation((...parts) => {
        lines.push(parts.map(String).join(" "));
      });
  });
  afterAll(() => vi.restoreAllMocks());
  return lines;
}

/** What is stored: D1, the large texts beside it, and the objects' own storage. */
export async function storedTexts(): Promise<Exposure[]> {
  return [
    ...(await recordTexts()),
    ...(await searchIndex()),
    ...(await largeTexts()),
    ...(await objectTexts()),
  ];
}

/** Every text column of the record's schema, row by row. */
export async function recordTexts(): Promise<Exposure[]> {
  const tables = Object.entries(TEXT_COLUMNS).map(async ([table, columns]) => {
    const { results } = await env.DB.prepare(`SELECT ${columns.join(", ")} FROM ${table}`).all();
    return results.flatMap((row) =>
      columns.map((column) => ({ where: `D1 ${table}.${column}`, text: String(row[column] ?? "") })),
    );
  });
  return (await Promise.all(tables)).flat();
}

async function searchIndex(): Promise<Exposure[]> {
  const { results } = await env.DB.prepare("SELECT * FROM AgentMessagesFts").all();
  return results.map((row) => ({ where: "D1 AgentMessagesFts", text: JSON.stringify(row) }));
}

async function largeTexts(): Promise<Exposure[]> {
  const { objects } = await env.TEXTS.list();
  return Promise.all(
    objects.map(async ({ key }) => ({
      where: "R2 TEXTS",
      text: `${key} ${await (await env.TEXTS.get(key))?.text()}`,
    })),
  );
}

async function objectTexts(): Promise<Exposure[]> {
  return (await storedRows()).flatMap(({ object, table, cells }) =>
    Object.entries(cells).flatMap(([column, cell]) =>
      typeof cell === "string" ? [{ where: `${object} ${table}.${column}`, text: cell }] : [],
    ),
  );
}

/** What the doors answer. */
export async function answeredTexts(paths: readonly string[]): Promise<Exposure[]> {
  return Promise.all(
    paths.map(async (path) => ({ where: `GET ${path}`, text: await (await request(path)).text() })),
  );
}

export function modelRequests(): Exposure[] {
  return watch.requests.map(({ objectName, text }) => ({ where: `model request of ${objectName}`, text }));
}

/** Where which secret came to light, in which spelling, and with which part. */
export function leaks(exposures: readonly Exposure[], baits: readonly Bait[]): string[] {
  const found = exposures.flatMap(({ where, text }) =>
    baits.flatMap((bait) =>
      leaksIn(text, [bait])
        .slice(0, 1)
        .map((needle) => `${where}: ${needle} of ${bait.text}`),
    ),
  );
  return [...new Set(found)];
}
