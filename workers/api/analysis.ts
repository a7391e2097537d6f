/** Figures and findings, as JSON or CSV. */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import { csvOf, findingRow, tableOf } from "../../core/analysis/csv.ts";
import { FINDING_CODES } from "../../core/analysis/finding.ts";
import { readFindings } from "../../core/analysis/findings.ts";
import { readStats } from "../../core/analysis/stats.ts";
import { TABLES } from "../../core/analysis/stats-view.ts";
import { MESSAGE_CHANNELS } from "../../core/record/vocabulary.ts";
import { again } from "../../durable-objects/again.ts";
import { catchUp } from "../analysis.ts";
import type { AppEnv } from "../app-env.ts";
import { checkBody, checkQuery } from "../body.ts";
import { instanceOf } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { readerOf } from "../server-timing.ts";

const word = z.string().max(200).optional();
const format = z.enum(["json", "csv"]).optional();
const scope = { since: word, until: word, a: word, b: word, format };
const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.union([z.enum(words), z.literal("")]).optional();

const statsQuery = z.object({
  ...scope,
  channel: oneOf(MESSAGE_CHANNELS),
  figure: z.enum(TABLES).optional(),
});
const findingsQuery = z.object({ ...scope, code: oneOf(FINDING_CODES) });

/** Tables and files have routes of their own in all but the address, so that typed clients see one answer. */
const asTable: MiddlewareHandler<AppEnv> = async (context, next) => {
  const query = checkBody(context.req.query(), statsQuery);
  const csv = wantsCsv(context, query.format);
  if (query.figure === undefined && !csv) return next();
  const figure = query.figure ?? "messages";
  const rows = tableOf(await statsOf(context, query), figure);
  return csv ? csvFile(context, figure, csvOf(rows)) : context.json(rows);
};

const asFindingsFile: MiddlewareHandler<AppEnv> = async (context, next) => {
  const query = checkBody(context.req.query(), findingsQuery);
  if (!wantsCsv(context, query.format)) return next();
  const { findings } = await findingsOf(context, query);
  return csvFile(context, "findings", csvOf(findings.map(findingRow)));
};

export const analysisRoutes = new Hono<AppEnv>()
  .get("/stats", asTable, checkQuery(statsQuery), async (context) =>
    context.json(await statsOf(context, context.req.valid("query"))),
  )
  .get("/findings", asFindingsFile, checkQuery(findingsQuery), async (context) =>
    context.json(await findingsOf(context, context.req.valid("query"))),
  );

async function statsOf(context: Context<AppEnv>, query: z.infer<typeof statsQuery>) {
  const { reader, clock } = await upToDate(context);
  const result = await readStats(reader, query, clock);
  if (!result.ok) throw badQuery(result.problem);
  return result.stats;
}

async function findingsOf(context: Context<AppEnv>, query: z.infer<typeof findingsQuery>) {
  const { reader, clock } = await upToDate(context);
  const result = await readFindings(reader, query, clock);
  if (!result.ok) throw badQuery(result.problem);
  return result.findings;
}

async function upToDate(context: Context<AppEnv>) {
  const reader = readerOf(context);
  const instance = instanceOf(await again(() => hubStub(context.env).directory()));
  await catchUp(context.env, instance, reader);
  return { reader, clock: { now: Date.now(), siltedAfterHours: instance.siltedAfterHours } };
}

function badQuery(problem: { readonly code: string; readonly parameter: string }): ApiError {
  return new ApiError("bad_request", `Not accepted: ${problem.parameter} (${problem.code}).`, [
    { path: problem.parameter, message: problem.code },
  ]);
}

function wantsCsv(context: Context<AppEnv>, format: "json" | "csv" | undefined): boolean {
  return (
    format === "csv" ||
    (format === undefined && /^text\/csv\b/.test(context.req.header("Accept")?.trim() ?? ""))
  );
}

function csvFile(context: Context<AppEnv>, name: string, csv: string): Response {
  return context.body(csv, 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${name}.csv"`,
  });
}
