import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Admin,
  adminOf,
  codeOf,
  doneOf,
  hasMariaDb,
  mariaDb,
  messageOf,
  mysqlConfig,
  pageOf,
  type Row,
  rowsOf,
} from "./database-support.ts";
import { type ToolHost, toolHost } from "./tool-host.ts";

describe.skipIf(!hasMariaDb())("Database on a real MariaDB", () => {
  let admin: Admin;
  let host: ToolHost;

  beforeAll(async () => {
    host = toolHost();
    admin = await adminOf(mariaDb());
    await admin.run(`
      CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer VARCHAR(40) NOT NULL, amount DECIMAL(12,2),
        state ENUM('open','paid') NOT NULL DEFAULT 'open', placed DATETIME);
      INSERT INTO orders (customer, amount, state, placed) VALUES ('Ann', 10.50, 'paid', '2026-01-01 10:00:00'),
        ('Bob', 0.10, 'open', '2026-02-01 10:00:00'), ('Ann', 0.20, 'open', NULL), ('100% Cyd_', NULL, 'paid', NULL);
      CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(60) UNIQUE, name VARCHAR(40), age INT CHECK (age >= 0));
      CREATE TABLE kinds (id BIGINT PRIMARY KEY, big BIGINT UNSIGNED, amount DECIMAL(30,10), day DATE,
        local_time DATETIME(3), moment TIMESTAMP(6) NULL, clock TIME, bytes VARBINARY(16), doc JSON, flags BIT(3),
        f FLOAT, d DOUBLE, place POINT, txt TEXT, y YEAR, yes BOOLEAN);
      CREATE TABLE wide (id INT PRIMARY KEY, filler VARCHAR(60));
      INSERT INTO wide SELECT seq, REPEAT('x', 60) FROM seq_1_to_50000;
      CREATE TABLE texts (id INT PRIMARY KEY, body LONGTEXT);
      INSERT INTO texts VALUES (1, REPEAT('a', 3000000)), (2, 'short'), (3, REPEAT('b', 3000000));
      CREATE TABLE \`${mariaDb().otherDatabase}\`.salaries (id INT PRIMARY KEY, amount INT);
      INSERT INTO \`${mariaDb().otherDatabase}\`.salaries VALUES (1, 5000);
      CREATE TABLE hidden (id INT PRIMARY KEY);
      CREATE TABLE prefixes (code INT NOT NULL, name VARCHAR(40), UNIQUE (code, name(2)));
    `);
  });
  afterAll(() => admin?.close());

  const call = (table: string, args: Row, changes: Row = {}) =>
    host.call("Database", mysqlConfig([table], changes), { table, ...args });
  const query = (table: string, args: Row = {}, changes: Row = {}) =>
    call(table, { action: "query", ...args }, changes);

  describe("answers a query", () => {
    it("with all columns in the order of the primary key", async () => {
      expect(rowsOf(await query("orders"))).toMatchObject([
        { id: 1, customer: "Ann", amount: "10.50", state: "paid", placed: "2026-01-01T10:00:00" },
        { id: 2, customer: "Bob" },
        { id: 3, placed: null },
        { id: 4, amount: null },
      ]);
    });

    it.each<[Row, number[]]>([
      [{ column: "customer", op: "eq", value: "Ann" }, [1, 3]],
      [{ column: "customer", op: "ne", value: "Ann" }, [2, 4]],
      [{ column: "amount", op: "lt", value: "0.20" }, [2]],
      [{ column: "amount", op: "lte", value: 0.2 }, [2, 3]],
      [{ column: "id", op: "gt", value: 3 }, [4]],
      [{ column: "id", op: "gte", value: "3" }, [3, 4]],
      [{ column: "id", op: "in", value: [1, 4, 99] }, [1, 4]],
      [{ column: "id", op: "not_in", value: [1, 4] }, [2, 3]],
      [{ column: "id", op: "between", value: [2, 3] }, [2, 3]],
      [{ column: "customer", op: "like", value: "%ob" }, [2]],
      [{ column: "customer", op: "contains", value: "0% cyd_" }, [4]],
      [{ column: "customer", op: "contains", value: "%" }, [4]],
      [{ column: "customer", op: "starts_with", value: "an" }, [1, 3]],
      [{ column: "placed", op: "is_null" }, [3, 4]],
      [{ column: "placed", op: "is_not_null" }, [1, 2]],
      [{ column: "placed", op: "gte", value: "2026-02-01T11:00:00+01:00" }, [2]],
    ])("where %j", async (condition, ids) => {
      const rows = rowsOf(await query("orders", { columns: ["id"], where: [condition] }));
      expect(rows.map(({ id }) => id)).toEqual(ids);
    });

    it("with groups, aggregates, an order and a page of them", async () => {
      const args = {
        groupBy: ["customer"],
        aggregates: [
          { function: "count", as: "orders" },
          { function: "sum", column: "amount" },
          { function: "count", column: "placed" },
        ],
        orderBy: [{ column: "orders", direction: "desc" }, { column: "customer" }],
        limit: 2,
      };
      const first = pageOf(await query("orders", args));
      expect(first.rows).toEqual([
        { customer: "Ann", orders: 2, sum_amount: "10.70", count_placed: 1 },
        { customer: "100% Cyd_", orders: 1, sum_amount: null, count_placed: 0 },
      ]);
      expect(first.nextOffset).toBe(2);
      const second = pageOf(await query("orders", { ...args, offset: 2 }));
      expect(second).toMatchObject({ rows: [{ customer: "Bob" }], nextOffset: null });
    });

    it("from another database only where that is listed in full", async () => {
      const table = `${mariaDb().otherDatabase}.salaries`;
      expect(rowsOf(await query(table))).toEqual([{ id: 1, amount: 5000 }]);
      const everything = mysqlConfig(["*"]);
      expect(codeOf(await host.call("Database", everything, { action: "query", table }))).toBe(
        "table_refused",
      );
    });
  });

  it("gives back every kind of value as it was written, and takes it again as it gives it", async () => {
    const row = {
      ...{
        id: "-9223372036854775808",
        big: "18446744073709551615",
        amount: "12345678901234567890.0123456789",
      },
      ...{ day: "2026-02-28", local_time: "2026-03-29T02:30:00.123", moment: "2026-03-29T01:30:00.123456Z" },
      ...{ clock: "-12:34:56", bytes: { $binary: "AP9gJyI=" }, doc: '{"a":[1.0,9007199254740993],"b":"\'"}' },
      ...{ flags: 5, f: 0.1, d: 0.1, place: "POINT(1.5 -2)", txt: "' \" ` \\ \0 \u{1f600}", y: 2026, yes: 1 },
    };
    expect(doneOf(await call("kinds", { action: "insert", rows: [row] }))).toMatchObject({ inserted: 1 });
    const stored = rowsOf(await query("kinds"));
    expect(stored).toEqual([row]);
    const again: Row = { ...stored[0], id: "-9223372036854775807" };
    await call("kinds", { action: "insert", rows: [again] });
    expect(rowsOf(await query("kinds", { where: [{ column: "id", op: "eq", value: again.id }] }))).toEqual([
      again,
    ]);
    for (const column of ["big", "amount", "day", "local_time", "moment", "clock", "bytes", "flags"]) {
      const where = [{ column, op: "eq", value: again[column] }];
      expect({ column, count: rowsOf(await query("kinds", { columns: ["id"], where })).length }).toEqual({
        column,
        count: 2,
      });
    }
  });

  it("distinguishes neighbours beyond 2^53, and does not take a word for the number 0", async () => {
    const ids = ["9007199254740992", "9007199254740993"];
    await call("kinds", { action: "insert", rows: ids.map((id) => ({ id, txt: "word" })) });
    const found = async (where: Row) => rowsOf(await query("kinds", { columns: ["id"], where: [where] }));
    expect(await found({ column: "id", op: "eq", value: ids[1] })).toEqual([{ id: ids[1] }]);
    expect(await found({ column: "txt", op: "eq", value: 0 })).toEqual([]);
    expect(codeOf(await query("kinds", { where: [{ column: "id", op: "eq", value: "word" }] }))).toBe(
      "value_refused",
    );
  });

  describe("writes", () => {
    it("all rows of an insert or none, with defaults for what is not named", async () => {
      const rows = [{ customer: "Dee" }, { customer: "Eve", amount: "3.30" }];
      const done = doneOf(await call("orders", { action: "insert", rows }));
      expect(done).toMatchObject({ inserted: 2, firstId: 5 });
      const failing = await call("orders", {
        action: "insert",
        rows: [{ customer: "Flo" }, { id: 1, customer: "Gus" }],
      });
      expect(codeOf(failing)).toBe("duplicate_key");
      expect(await admin.rows("SELECT customer, state FROM orders WHERE id > 4 ORDER BY id")).toEqual([
        { customer: "Dee", state: "open" },
        { customer: "Eve", state: "open" },
      ]);
    });

    it("an upsert by the keys it is given, and says what became of the rows", async () => {
      const upsert = async (keys: string[], rows: Row[]) => call("people", { action: "upsert", keys, rows });
      const first = [
        { id: 1, email: "a@example.test", name: "A" },
        { id: 2, email: "b@example.test", name: "B" },
      ];
      expect(doneOf(await upsert(["id"], first))).toEqual({ inserted: 2, updated: 0 });
      const changed = [
        { id: 2, name: "Bee" },
        { id: 3, email: "c@example.test" },
        { id: 3, name: "Cee" },
      ];
      expect(doneOf(await upsert(["id"], changed))).toEqual({ inserted: 1, updated: 2 });
      expect(doneOf(await upsert(["email"], [{ email: "c@example.test", age: 7 }]))).toEqual({
        inserted: 0,
        updated: 1,
      });
      expect(doneOf(await upsert(["id"], [{ id: 3 }]))).toEqual({ inserted: 0, updated: 1 });
      expect(await admin.rows("SELECT id, email, name, age FROM people ORDER BY id")).toEqual([
        { id: 1, email: "a@example.test", name: "A", age: null },
        { id: 2, email: "b@example.test", name: "Bee", age: null },
        { id: 3, email: "c@example.test", name: "Cee", age: 7 },
      ]);
    });

    it("no row that is only in the way by another unique key, and then none at all", async () => {
      const rows = [
        { id: 50, name: "New" },
        { id: 51, email: "a@example.test", name: "Thief" },
      ];
      const answer = await call("people", { action: "upsert", keys: ["id"], rows });
      expect(codeOf(answer)).toBe("duplicate_key");
      expect(await admin.rows("SELECT name FROM people WHERE id >= 50 OR email = 'a@example.test'")).toEqual([
        { name: "A" },
      ]);
    });

    it.each<[string, Row]>([
      ["keys_refused", { action: "upsert", keys: ["name"], rows: [{ name: "A" }] }],
      ["keys_refused", { action: "upsert", keys: ["id"], rows: [{ name: "A" }] }],
      ["keys_refused", { action: "upsert", keys: ["id"], rows: [{ id: null, name: "A" }] }],
      ["constraint", { action: "insert", rows: [{ id: 90, age: -1 }] }],
      ["value_refused", { action: "insert", rows: [{ id: 91, name: "n".repeat(41) }] }],
      ["value_refused", { action: "insert", rows: [{ id: "many" }] }],
      ["column_unknown", { action: "insert", rows: [{ id: 92, salary: 1 }] }],
    ])("nothing that is refused with %s: %j", async (code, args) => {
      const before = await admin.rows("SELECT COUNT(*) AS n FROM people");
      expect(codeOf(await call("people", args))).toBe(code);
      expect(await admin.rows("SELECT COUNT(*) AS n FROM people")).toEqual(before);
    });

    it("no upsert by a part of a key, or by one over the beginnings of values", async () => {
      for (const keys of [["code"], ["code", "name"]]) {
        const answer = await call("prefixes", { action: "upsert", keys, rows: [{ code: 1, name: "abc" }] });
        expect(codeOf(answer)).toBe("keys_refused");
      }
    });

    it("nothing when the config says readOnly", async () => {
      const changes = { readOnly: true };
      for (const args of [
        { action: "insert", rows: [{ id: 95 }] },
        { action: "upsert", keys: ["id"], rows: [{ id: 1, name: "X" }] },
      ]) {
        expect(codeOf(await call("people", args, changes))).toBe("read_only");
      }
      expect(codeOf(await query("people", {}, changes))).toBe("done");
    });
  });

  describe("says what there is instead", () => {
    it("of an unknown column", async () => {
      const answer = await query("orders", { columns: ["Amount"] });
      expect(codeOf(answer)).toBe("column_unknown");
      expect(messageOf(answer)).toContain("id, customer, amount, state, placed");
    });

    it("of an unknown table, naming none that is not allowed", async () => {
      const answer = await host.call("Database", mysqlConfig(["orders", "gone"]), {
        action: "query",
        table: "gone",
      });
      expect(codeOf(answer)).toBe("table_unknown");
      expect(messageOf(answer)).toContain("orders");
      expect(messageOf(answer)).not.toContain("hidden");
    });

    it("of a table that is not allowed, and of a config that allows none", async () => {
      const ask = (tables: string[]) =>
        host.call("Database", mysqlConfig(tables), { action: "query", table: "hidden" });
      expect(messageOf(await ask(["orders"]))).toContain("exactly: orders");
      expect(codeOf(await ask([]))).toBe("table_refused");
    });
  });

  describe("keeps a huge table out of the context (known failure 106)", () => {
    it("by its limit, telling how to go on", async () => {
      const page = pageOf(await query("wide", { columns: ["id"], limit: 50_000 }));
      expect(page.rows).toHaveLength(100);
      expect(page.nextOffset).toBe(100);
      expect(page.notes.join()).toMatch(/more rows.*50000.*100.*offset 100/);
    });

    it("by the answer's size", async () => {
      const answer = await query("wide", { limit: 1_000 }, { maxRows: 1_000 });
      const page = pageOf(answer);
      expect(JSON.stringify(page).length).toBeLessThan(18_000);
      expect(page.nextOffset).toBe(page.rows.length);
      const next = pageOf(await query("wide", { offset: page.rows.length, limit: 1 }));
      expect(next.rows[0]?.id).toBe(page.rows.length + 1);
    });

    it("and of texts of megabytes shows the beginning, one after the other", async () => {
      const first = pageOf(await query("texts"));
      expect(first.rows).toHaveLength(1);
      expect(String(first.rows[0]?.body)).toMatch(/^a{15000}a*\.\.\.\[cut\]$/);
      expect(first.notes.join()).toContain("body");
      const second = pageOf(await query("texts", { offset: 1 }));
      expect(second).toMatchObject({ rows: [{ id: 2, body: "short" }], nextOffset: 2 });
    });
  });
});
