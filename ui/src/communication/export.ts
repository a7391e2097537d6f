/** Everything that the filters let through, page by page, as one file. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Problem } from "../api/client.ts";
import { saveAs } from "../parts/save-as.ts";
import { markdownOf } from "./export-text.ts";
import type { Filters } from "./filters.ts";
import { readMessages, readWhole } from "./read-messages.ts";
import { keyOf, type Row } from "./row.ts";

const PAGE = 500;

export type ExportFormat = "md" | "json";

export type ExportState =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly messages: number }
  | { readonly state: "done"; readonly messages: number }
  | { readonly state: "failed"; readonly problem: Problem };

export interface Export {
  readonly progress: ReadonlySignal<ExportState>;
  start(format: ExportFormat, names: (agentId: string) => string): void;
  stop(): void;
}

export function createExport(filters: Filters): Export {
  const progress = signal<ExportState>({ state: "idle" });
  let running = new AbortController();
  const run = async (format: ExportFormat, names: (agentId: string) => string, wanted: AbortSignal) => {
    const pieces: string[] = [];
    let messages = 0;
    let before: string | null = null;
    do {
      const answer = await readMessages(
        filters,
        { limit: PAGE, ...(before === null ? {} : { before }) },
        wanted,
      );
      if (wanted.aborted) return;
      if (!answer.ok) {
        progress.value = { state: "failed", problem: answer.problem };
        return;
      }
      const rows = await wholeRows(answer.data.messages, wanted);
      if (wanted.aborted) return;
      pieces.unshift(
        format === "md" ? rows.map((row) => markdownOf(row, names)).join("\n") : jsonLines(rows),
      );
      messages += rows.length;
      progress.value = { state: "running", messages };
      before = answer.data.older;
    } while (before !== null);
    const written = pieces.filter((piece) => piece !== "");
    saveAs(`${fileName(filters)}.${format}`, fileOf(format, written));
    progress.value = { state: "done", messages };
  };
  return {
    progress,
    start: (format, names) => {
      running.abort();
      running = new AbortController();
      progress.value = { state: "running", messages: 0 };
      void run(format, names, running.signal);
    },
    stop: () => {
      running.abort();
      progress.value = { state: "idle" };
    },
  };
}

/** Texts that a list cuts are read one by one. One that cannot be read stays cut, and says so by `truncated`. */
async function wholeRows(rows: readonly Row[], wanted: AbortSignal): Promise<Row[]> {
  const whole: Row[] = [];
  for (const row of rows) {
    const answer = row.truncated && !wanted.aborted ? await readWhole(keyOf(row), wanted) : null;
    whole.push(answer?.ok ? answer.data : row);
  }
  return whole;
}

function jsonLines(rows: readonly Row[]): string {
  return rows.map((row) => JSON.stringify(row)).join(",\n");
}

function fileOf(format: ExportFormat, pieces: readonly string[]): Blob {
  if (format === "md") return new Blob([pieces.join("\n")], { type: "text/markdown;charset=utf-8" });
  return new Blob(["[\n", pieces.join(",\n"), "\n]\n"], { type: "application/json" });
}

function fileName({ a, b }: Filters): string {
  return ["parley", a, b]
    .filter((part) => part !== "")
    .join("-")
    .replace(/[^\p{L}\p{N}._-]/gu, "");
}
