import { afterAll, beforeAll, describe } from "vitest";
import { createDatabase } from "../../tools/database/index.ts";
import { toolContract } from "../support/tool-contract.ts";
import { type Admin, adminOf, hasMariaDb, mariaDb, mysqlConfig } from "./database-support.ts";

const reading = { repeatable: true, parallel: true };
const writing = { repeatable: false, parallel: false };
const upserting = { repeatable: true, parallel: false };

describe.skipIf(!hasMariaDb())("with a real MariaDB", () => {
  let admin: Admin;
  beforeAll(async () => {
    admin = await adminOf(mariaDb());
    await admin.run("CREATE TABLE contract (id INT PRIMARY KEY, name VARCHAR(20))");
  });
  afterAll(() => admin?.close());

  toolContract(
    createDatabase((text) => text),
    {
      validConfig: hasMariaDb() ? mysqlConfig(["contract"], { tls: false }) : {},
      ...(hasMariaDb() ? { secretInConfig: mariaDb().password } : {}),
      validCalls: [
        { args: { action: "insert", table: "contract", rows: [{ id: 1, name: "one" }] }, traits: writing },
        {
          args: { action: "upsert", table: "contract", keys: ["id"], rows: [{ id: 1, name: "two" }] },
          traits: upserting,
        },
        {
          args: {
            ...{ action: "query", table: "contract", columns: ["id", "name"], orderBy: [{ column: "id" }] },
            ...{ where: [{ column: "name", op: "eq", value: "two" }], limit: 10, offset: 0 },
          },
          traits: reading,
        },
        {
          args: {
            action: "query",
            table: "contract",
            groupBy: ["name"],
            aggregates: [{ function: "count" }],
          },
          traits: reading,
        },
        { args: { action: "query", table: "other" }, traits: reading, outcome: "fail" },
      ],
      invalidCalls: [
        { args: {} },
        { args: { action: "query" } },
        { args: { action: "delete", table: "contract" } },
        { args: { action: "query", table: "contract", sql: "SELECT 1" } },
        { args: { action: "query", table: "contract", rows: [{ id: 1 }] } },
        { args: { action: "query", table: "contract", where: [{ column: "id", op: "=", value: 1 }] } },
        { args: { action: "query", table: "contract", aggregates: [{ function: "sum" }] } },
        { args: { action: "query", table: "contract", limit: 0 } },
        { args: { action: "query", table: "contract", offset: -1 } },
        { args: { action: "insert", table: "contract" } },
        { args: { action: "insert", table: "contract", rows: [] } },
        { args: { action: "insert", table: "contract", rows: [{}] } },
        { args: { action: "insert", table: "contract", rows: [{ id: 1 }], keys: ["id"] } },
        { args: { action: "upsert", table: "contract", rows: [{ id: 1 }] } },
      ],
    },
  );
});
