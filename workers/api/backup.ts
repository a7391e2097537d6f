import { Hono } from "hono";
import { z } from "zod";
import {
  appliedMigrations,
  backupTables,
  columnsOf,
  emptyTable,
  insertRows,
  readPage,
} from "../../core/backup/tables.ts";
import type { Cell } from "../../core/record/columns.ts";
import { again } from "../../durable-objects/again.ts";
import { recordAct } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { checkQuery, readBody } from "../body.ts";
import { instanceOf } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { VERSION } from "../version.ts";
import { knownScrubber } from "../wiring.ts";

const MAX_ROWS = 500;
const MAX_COLUMNS = 100;

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

/** What `npm run backup` and `npm run restore` call: the tables of D1, page by page. */
export const backupRoutes = new Hono<AppEnv>()
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
    await insertRows(db, { name: table.name, columns }, clean);
    return context.json({ rows: rows.length, masked: differences(rows, clean) });
  })
  /** A piece of the table goes; to be called until it answers that nothing is left. */
  .post("/:table/empty", async (context) => {
    const table = await tableOf(context.env.DB, context.req.param("table"));
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
