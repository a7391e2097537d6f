import { Hono } from "hono";
import { z } from "zod";
import {
  appliedMigrations,
  backupTables,
  columnsOf,
  emptyTable,
  insertRows,
  markRestored,
  readPage,
} from "../../core/backup/tables.ts";
import type { Cell } from "../../core/record/columns.ts";
import { again } from "../../durable-objects/again.ts";
import { actorName, recordAct, recordActOnce } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { checkQuery, readBody } from "../body.ts";
import { instanceOf } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { VERSION } from "../version.ts";
import { knownScrubber } from "../wiring.ts";

const MAX_ROWS = 500;
const MAX_COLUMNS = 100;

/** From one call of a command to its next, with its attempts when a connection breaks. */
const STILL_MS = 300_000;

const cell = z.union([z.string(), z.number(), z.null()]);
const rowsOfTable = z
  .strictObject({
    columns: z.array(z.string().min(1).max(100)).min(1).max(MAX_COLUMNS),
    rows: z.array(z.array(cell).max(MAX_COLUMNS)).max(MAX_ROWS),
  })
  .refine(({ columns, rows }) => rows.every((row) => row.length === columns.length), {
    path: ["rows"],
    message: "Each row must have a cell for each column",
  });
/** JSON: the key of the last row of the page before. */
const page = z.object({ after: z.string().max(20_000).optional() });
const keyShape = z.array(cell).min(1).max(20);
const purpose = z.object({ for: z.enum(["backup", "restore", "check"]).default("check") });

/**
 * What `npm run backup` and `npm run restore` call: the tables of D1, page by page. Each call that reads or changes a
 * table is written down before it does, so that leaving out the others hides nothing.
 */
export const backupRoutes = new Hono<AppEnv>()
  .use("/:table/*", async (context, next) => {
    await again(() => hubStub(context.env).keepStill(Date.now() + STILL_MS));
    await next();
  })
  .get("/", checkQuery(purpose), async (context) => {
    const { DB: db } = context.env;
    const action = context.req.valid("query").for;
    const answer = {
      version: VERSION,
      migrations: await appliedMigrations(db),
      tables: await backupTables(db),
    };
    if (action !== "check") await recordAct(context, { action, target: "D1" });
    return context.json(answer);
  })
  .get("/:table", checkQuery(page), async (context) => {
    const table = await tableOf(context.env.DB, context.req.param("table"));
    await recordActOnce(context, { action: "backup", target: table.name });
    const read = await readPage(context.env.DB, table, keyIn(context.req.valid("query").after));
    return context.json({ columns: table.columns, ...read });
  })
  .post("/:table", async (context) => {
    const { DB: db } = context.env;
    const table = await tableOf(db, context.req.param("table"));
    const { columns, rows } = await readBody(context, rowsOfTable);
    const unknown = columns.filter((column) => !table.columns.includes(column));
    if (unknown.length > 0)
      throw new ApiError("bad_request", `${table.name} has no column ${unknown.join(", ")}.`);
    const { plainVars } = instanceOf(await again(() => hubStub(context.env).directory()));
    const { scrub } = knownScrubber(context.env, plainVars);
    const clean = rows.map((row) => row.map((value) => (typeof value === "string" ? scrub(value) : value)));
    await recordActOnce(context, { action: "restore", target: table.name });
    const restored = { actor: scrub(actorName(context)), at: new Date().toISOString() };
    const marked = markRestored({ name: table.name, columns, rows: clean }, restored);
    await insertRows(db, marked, marked.rows);
    return context.json({ rows: rows.length, masked: differences(rows, clean) });
  })
  /** A piece of the table goes; to be called until it answers that nothing is left. */
  .post("/:table/empty", async (context) => {
    const table = await tableOf(context.env.DB, context.req.param("table"));
    await recordActOnce(context, { action: "restore.empty", target: table.name });
    return context.json({ empty: await emptyTable(context.env.DB, table.name) });
  });

function keyIn(after: string | undefined): Cell[] | null {
  if (after === undefined) return null;
  const key = keyShape.safeParse(jsonOf(after));
  if (key.success) return key.data;
  throw new ApiError("bad_request", "Not accepted: after.", [
    { path: "after", message: "Must be a row's key" },
  ]);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function tableOf(db: D1Database, name: string) {
  const columns = await columnsOf(db, name);
  if (columns.length === 0) throw new ApiError("not_found", "There is no such table.");
  return { name, columns };
}

function differences(before: readonly (readonly Cell[])[], after: readonly (readonly Cell[])[]): number {
  return after.flatMap((row, n) => row.filter((value, column) => value !== before[n]?.[column])).length;
}
