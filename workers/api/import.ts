import { Hono } from "hono";
import { z } from "zod";
import { importBatch } from "../../core/record/import-batch.ts";
import { IMPORT_TABLES } from "../../core/record/import-columns.ts";
import {
  addProgress,
  goesOn,
  NOTHING_IMPORTED,
  readProgress,
  writeProgress,
} from "../../core/record/import-progress.ts";
import { again } from "../../durable-objects/again.ts";
import { recordAct } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { checkQuery, readBody } from "../body.ts";
import { instanceOf } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { knownScrubber } from "../wiring.ts";

const MAX_ROWS = 250;
const MAX_COLUMNS = 300;

const source = z.string().regex(/^[0-9a-f]{16,64}$/, "Must be 16 to 64 hex digits");
const cursor = z.string().max(2_000);
const cell = z.union([z.string(), z.number(), z.null()]);
const batch = z
  .strictObject({
    source,
    /** The cursor of the batch before; null for the first. */
    after: cursor.nullable(),
    cursor,
    columns: z.array(z.string().min(1).max(200)).min(1).max(MAX_COLUMNS),
    rows: z
      .array(
        z.strictObject({
          key: z.string().min(1).max(1_000),
          cells: z.array(cell).max(MAX_COLUMNS).nullable(),
        }),
      )
      .max(MAX_ROWS),
  })
  .refine(
    ({ columns, rows }) => rows.every(({ cells }) => cells === null || cells.length === columns.length),
    {
      path: ["rows"],
      message: "Each row must have a cell for each column",
    },
  );
const tableName = z.enum(IMPORT_TABLES);

/** What `npm run import` calls: rows of an older instance's database, scrubbed here, because here the secrets are known. */
export const importRoutes = new Hono<AppEnv>()
  /** How far each table of a file has come. */
  .get("/", checkQuery(z.object({ source })), async (context) => {
    const { source } = context.req.valid("query");
    const tables = IMPORT_TABLES.map(
      async (table) => [table, await readProgress(context.env.TEXTS, source, table)] as const,
    );
    return context.json({ source, tables: Object.fromEntries(await Promise.all(tables)) });
  })
  .post("/:table", async (context) => {
    const table = tableName.safeParse(context.req.param("table"));
    if (!table.success)
      throw new ApiError("not_found", `There is no such table; there are ${IMPORT_TABLES.join(", ")}.`);
    const { after, ...sent } = await readBody(context, batch);
    const { DB: db, TEXTS: texts } = context.env;
    const directory = await again(() => hubStub(context.env).directory());
    const scrubber = knownScrubber(context.env, instanceOf(directory).plainVars);
    const done = await importBatch({ db, texts, scrubber }, { ...sent, table: table.data });
    if (after === null)
      await recordAct(context, { action: "import", target: table.data, details: { source: sent.source } });
    await remember(texts, { source: sent.source, table: table.data, after }, done);
    return context.json(done);
  });

/** A batch that comes again, after an answer that was lost, is not counted twice. */
async function remember(
  texts: R2Bucket,
  place: {
    readonly source: string;
    readonly table: (typeof IMPORT_TABLES)[number];
    readonly after: string | null;
  },
  done: typeof NOTHING_IMPORTED,
): Promise<void> {
  const before = (await readProgress(texts, place.source, place.table)) ?? NOTHING_IMPORTED;
  // A start from the beginning counts anew.
  if (place.after === null) await writeProgress(texts, place, done);
  else if (await goesOn(before, place.after)) await writeProgress(texts, place, addProgress(before, done));
}
