/** Database: rows of MySQL tables and documents of MongoDB collections, asked for in a structure. */
import type { z } from "zod";
import { defineTool, fail, ok, type Tool, type ToolContext, type ToolResult } from "../../core/tool.ts";
import { checkTable } from "./allow.ts";
import type { Backend } from "./backend.ts";
import { configSchema, type DatabaseConfig } from "./config.ts";
import type { Mask } from "./cut-value.ts";
import { dataApiBackend } from "./data-api/run.ts";
import { inputSchema, queryOf } from "./input.ts";
import { mongoBackend } from "./mongo/run.ts";
import { mysqlBackend } from "./mysql/run.ts";
import { Refusal } from "./refusal.ts";

type Input = z.infer<typeof inputSchema>;

const backends: Readonly<Record<DatabaseConfig["type"], Backend>> = {
  mysql: mysqlBackend,
  mongodb: mongoBackend,
  "mongodb-data-api": dataApiBackend,
};

/**
 * The tool. `mask` takes the secrets out of whole texts before they are cut. A query and an upsert may be made
 * twice; an insert may not. Failures begin with a literal code and a colon.
 */
export const createDatabase = (mask: Mask): Tool =>
  defineTool({
    name: "Database",
    description:
      "Reads and writes rows of the tables (in MongoDB: documents of the collections) that you are allowed to use. " +
      "query: rows that fulfil all conditions of where, or with groupBy and aggregates one row per group; nextOffset is " +
      "null at the end. insert: new rows. upsert: changes the rows with the same keys, inserts the others. Write large and " +
      'decimal numbers as text ("12.50"), dates as ISO text, bytes as {"$binary": "base64"}. MongoDB also has {"$oid": ' +
      '"..."} for ids, {"$date": "ISO"}, {"$numberLong": "..."}, {"$numberDecimal": "..."}. notes tell what was cut.',
    config: configSchema,
    input: inputSchema,
    repeatable: ["query", "upsert"],
    parallel: ["query"],
    execute: async (input, context) => {
      try {
        return ok(await act(input, { ...context, mask }));
      } catch (error) {
        return answerOf(error, context);
      }
    },
  });

async function act(
  input: Input,
  context: ToolContext<DatabaseConfig> & { readonly mask: Mask },
): Promise<string> {
  const { toolConfig: config, signal, fetch, mask } = context;
  signal.throwIfAborted();
  const call = { config, signal, fetch };
  const backend = backends[config.type];
  const table = checkTable(input.table, config);
  if (input.action === "query") {
    const query = queryOf(input, config.maxRows);
    return backend.query(
      query,
      { limit: query.limit, offset: query.offset, asked: input.limit ?? null, mask },
      call,
    );
  }
  if (config.readOnly) {
    throw new Refusal("read_only", "This agent may only read (readOnly is on in its config).");
  }
  const { rows = [], keys = [] } = input;
  return input.action === "insert"
    ? backend.insert(table, rows, call)
    : backend.upsert(table, { rows, keys }, call);
}

/** Drivers' own errors go to the log, never to the model: they may quote the connection. */
function answerOf(error: unknown, { signal, logger }: ToolContext<DatabaseConfig>): ToolResult {
  if (signal.aborted || !(error instanceof Refusal)) throw error;
  logger.info(`refused: ${error.code}`);
  return fail(`${error.code}: ${error.message}`);
}
