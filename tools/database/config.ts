import { z } from "zod";
import { secret } from "../../core/tool.ts";
import { isNear } from "../../protocols/mysql/near-host.ts";

const MAX_ROWS = 1_000;
const DEFAULT_ROWS = 100;
/** One or two names, or, in MongoDB, a name with points. */
const TABLE = /^(?:\*|[\p{L}_][\p{L}\p{M}\p{Nd}_$.-]{0,199})$/u;
const HEADER = /^[A-Za-z0-9-]{1,64}$/;

const table = z
  .string()
  .regex(TABLE, 'must be the exact name of a table or collection, "database.table", or "*" for all');

/** Only `"*"` alone stands for more than one table; an empty list allows none. */
export const configSchema = z
  .strictObject({
    type: z.enum(["mysql", "mongodb", "mongodb-data-api"]),
    connectionString: secret().optional(),
    host: z.string().min(1).max(253).optional(),
    port: z.int().min(1).max(65_535).optional(),
    username: z.string().min(1).max(256).optional(),
    password: secret().optional(),
    database: z.string().min(1).max(64).optional(),
    tls: z.boolean().optional().describe("Default: true, but false for hosts of the own machine or network."),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    apiKey: secret().optional(),
    apiKeyHeader: z.string().regex(HEADER, "must be the name of an HTTP header").default("apiKey"),
    dataSource: z.string().min(1).max(128).optional(),
    allowedTables: z.array(table).max(500).default([]),
    readOnly: z.boolean().default(false),
    maxRows: z.int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS),
  })
  .superRefine((config, refinement) => {
    for (const key of missingKeys(config)) {
      refinement.addIssue({ code: "custom", path: [key], message: `${config.type} needs ${key}` });
    }
  });

export type DatabaseConfig = z.infer<typeof configSchema>;

const NEEDED = {
  mysql: ["host", "username", "database"],
  mongodb: ["host", "database"],
  "mongodb-data-api": ["baseUrl", "apiKey", "dataSource", "database"],
} as const;

function missingKeys(config: {
  readonly type: keyof typeof NEEDED;
  readonly connectionString?: string | undefined;
  readonly [key: string]: unknown;
}): string[] {
  // A connection string says it all, but for a database that it need not name.
  if (config.type !== "mongodb-data-api" && config.connectionString !== undefined) return [];
  return NEEDED[config.type].filter((key) => config[key] === undefined);
}

/** Whether TLS is to be spoken: by the config, and without a word in it wherever the way leads over the internet. */
export function wantsTls(config: Pick<DatabaseConfig, "tls">, host: string): boolean {
  return config.tls ?? !isNear(host);
}
