import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OPERATOR_ATTACKS, SQL_ATTACKS, TABLE_ATTACKS } from "./attack-texts.ts";
import {
  type Admin,
  adminOf,
  codeOf,
  hasMariaDb,
  mariaDb,
  messageOf,
  mysqlConfig,
  type Row,
  rowsOf,
} from "./database-support.ts";
import { type MongoServer, startMongoServer } from "./servers/mongo/server.ts";
import { hasToolWorker, type ToolAnswer, type ToolHost, toolHost } from "./tool-host.ts";

const SECRET = "the secret of the victims";
const REFUSALS =
  /^(?:arguments_refused|name_refused|column_unknown|table_refused|value_refused|request_refused|keys_refused)$/;

/** Refused with a code and a reason, and nothing of what is protected is in it. */
function expectRefused(attack: unknown, answer: ToolAnswer): void {
  expect({ attack, code: codeOf(answer) }).toEqual({ attack, code: expect.stringMatching(REFUSALS) });
  expect(JSON.stringify(answer)).not.toContain(SECRET);
  if (answer.kind === "result") expect(messageOf(answer).length).toBeGreaterThan(20);
}

describe.skipIf(!hasMariaDb())("Database with MariaDB refuses SQL", () => {
  let admin: Admin;
  let host: ToolHost;

  beforeAll(async () => {
    host = toolHost();
    admin = await adminOf(mariaDb());
    await admin.run(`
      CREATE TABLE allowed (id INT PRIMARY KEY, name VARCHAR(200));
      CREATE TABLE victims (id INT PRIMARY KEY, secret VARCHAR(60));
      INSERT INTO victims VALUES (1, '${SECRET}');
    `);
  });
  beforeEach(() => admin.run("DELETE FROM allowed; INSERT INTO allowed VALUES (1, 'one'), (2, 'two')"));
  afterAll(() => admin?.close());

  const call = (args: Row, config = mysqlConfig(["allowed"])) =>
    host.call("Database", config, { action: "query", table: "allowed", ...args });
  /** The victims are as before, and of the allowed table there are the rows that should be. */
  const expectUntouched = async (rows = 2) => {
    expect(await admin.rows("SELECT secret FROM victims")).toEqual([{ secret: SECRET }]);
    expect(await admin.rows("SELECT id FROM allowed")).toHaveLength(rows);
  };

  it.each<[string, (text: string) => Row]>([
    ["a column", (text) => ({ columns: [text] })],
    ["a condition's column", (text) => ({ where: [{ column: text, op: "eq", value: 1 }] })],
    ["an operator", (text) => ({ where: [{ column: "id", op: text, value: 1 }] })],
    ["a group", (text) => ({ groupBy: [text] })],
    ["an aggregate's function", (text) => ({ aggregates: [{ function: text, column: "id" }] })],
    ["an aggregate's column", (text) => ({ aggregates: [{ function: "sum", column: text, as: "s" }] })],
    ["an order's column", (text) => ({ orderBy: [{ column: text }] })],
    ["an order's direction", (text) => ({ orderBy: [{ column: "id", direction: text }] })],
    ["a limit", (text) => ({ limit: text })],
    ["an offset", (text) => ({ offset: text })],
    ["a row's column", (text) => ({ action: "insert", rows: [JSON.parse(`{${JSON.stringify(text)}: 9}`)] })],
    ["a key", (text) => ({ action: "upsert", rows: [{ id: 9, name: "x" }], keys: [text] })],
    ["an action", (text) => ({ action: text })],
    ["a number's value", (text) => ({ where: [{ column: "id", op: "eq", value: text }] })],
    ["one of a number's values", (text) => ({ where: [{ column: "id", op: "in", value: [1, text] }] })],
  ])("in %s", async (_field, argsOf) => {
    for (const attack of SQL_ATTACKS) expectRefused(attack, await call(argsOf(attack)));
    await expectUntouched();
  });

  it("in the name of an aggregate, unless it is a plain name", async () => {
    for (const attack of SQL_ATTACKS) {
      expectRefused(attack, await call({ aggregates: [{ function: "count", as: attack }] }));
    }
  });

  it("by taking a text as a text, in conditions and in rows", async () => {
    for (const [index, attack] of SQL_ATTACKS.entries()) {
      const row = { id: 100 + index, name: attack };
      expect(codeOf(await call({ action: "insert", rows: [row] }))).toBe("done");
      for (const op of ["eq", "in", "contains", "starts_with"]) {
        const value = op === "in" ? [attack] : attack;
        const where = [
          { column: "id", op: "eq", value: row.id },
          { column: "name", op, value },
        ];
        expect({ op, rows: rowsOf(await call({ where })) }).toEqual({ op, rows: [row] });
      }
    }
    await expectUntouched(2 + SQL_ATTACKS.length);
  });

  it("in objects and lists where a value is expected", async () => {
    for (const attack of OPERATOR_ATTACKS) {
      for (const column of ["id", "name"]) {
        expectRefused(attack, await call({ where: [{ column, op: "eq", value: attack }] }));
      }
      expectRefused(attack, await call({ action: "insert", rows: [{ id: attack }] }));
    }
  });

  it("in the name of a table that is written otherwise than in the list", async () => {
    for (const attack of TABLE_ATTACKS) {
      expectRefused(attack, await call({ table: attack }));
      expectRefused(attack, await call({ table: attack, action: "insert", rows: [{ id: 9 }] }));
    }
    await expectUntouched();
  });

  it("also when all tables of the database are allowed", async () => {
    const own = ["victims"];
    for (const attack of TABLE_ATTACKS.filter((name) => !own.includes(name))) {
      const answer = await call({ table: attack }, mysqlConfig(["*"]));
      expect({ attack, code: codeOf(answer) }).toEqual({
        attack,
        code: expect.stringMatching(/^(?:table_refused|table_unknown|arguments_refused)$/),
      });
    }
  });
});

describe.skipIf(!hasToolWorker())("Database with MongoDB refuses operators", () => {
  let server: MongoServer;
  let host: ToolHost;

  beforeAll(async () => {
    host = toolHost();
    server = await startMongoServer();
    server.collection("shop", "victims").insert({ _id: 1, secret: SECRET });
    server.collection("shop", "allowed").insert({ _id: 1, name: "one", secret: SECRET });
  });
  afterAll(() => server?.close());

  const call = (args: Row) => {
    const config = { type: "mongodb", host: "localhost", port: server.port, database: "shop" };
    const allowedTables = ["allowed"];
    return host.call(
      "Database",
      { ...config, allowedTables },
      { action: "query", table: "allowed", ...args },
    );
  };
  const FIELD_ATTACKS = [
    "$where",
    "$secret",
    "a.$b",
    "a.",
    ".a",
    "a..b",
    "$$ROOT",
    "a\0",
    "__proto__",
    "a.constructor",
  ];

  it.each<[string, (attack: unknown) => Row]>([
    ["a condition", (value) => ({ where: [{ column: "name", op: "eq", value }] })],
    ["a list of values", (value) => ({ where: [{ column: "name", op: "in", value: [value] }] })],
    ["a pattern", (value) => ({ where: [{ column: "name", op: "contains", value }] })],
    ["a row", (value) => ({ action: "insert", rows: [{ name: value }] })],
    ["an id", (value) => ({ action: "insert", rows: [{ _id: value }] })],
    ["a key's value", (value) => ({ action: "upsert", keys: ["name"], rows: [{ name: value }] })],
    [
      "another value of an upsert",
      (value) => ({ action: "upsert", keys: ["_id"], rows: [{ _id: 1, name: value }] }),
    ],
  ])("where a value is expected, in %s", async (_place, argsOf) => {
    for (const attack of OPERATOR_ATTACKS) expectRefused(attack, await call(argsOf(attack)));
    expect(server.collection("shop", "allowed").documents).toHaveLength(1);
  });

  it.each<[string, (field: string) => Row]>([
    ["a column", (field) => ({ columns: [field] })],
    ["a condition's column", (field) => ({ where: [{ column: field, op: "eq", value: 1 }] })],
    ["a group", (field) => ({ groupBy: [field] })],
    ["an aggregate", (field) => ({ aggregates: [{ function: "max", column: field, as: "m" }] })],
    ["an aggregate's name", (field) => ({ aggregates: [{ function: "count", as: field }] })],
    ["an order", (field) => ({ orderBy: [{ column: field }] })],
    ["a row's field", (field) => ({ action: "insert", rows: [JSON.parse(`{${JSON.stringify(field)}: 9}`)] })],
    [
      "a key",
      (field) => ({ action: "upsert", keys: [field], rows: [JSON.parse(`{${JSON.stringify(field)}: 9}`)] }),
    ],
  ])("in the name of %s", async (_place, argsOf) => {
    for (const attack of FIELD_ATTACKS) expectRefused(attack, await call(argsOf(attack)));
    expect(server.collection("shop", "allowed").documents).toHaveLength(1);
  });

  it("in the name of a collection that is written otherwise than in the list", async () => {
    for (const attack of TABLE_ATTACKS) expectRefused(attack, await call({ table: attack }));
  });

  it("by taking patterns literally", async () => {
    for (const value of [".*", "^", "o|x", "[a-z]", "(?:)", "\\w", "(a+)+$"]) {
      for (const op of ["contains", "starts_with", "like"]) {
        expect(rowsOf(await call({ columns: ["_id"], where: [{ column: "name", op, value }] }))).toEqual([]);
      }
    }
  });
});
