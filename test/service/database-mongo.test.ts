import { Binary, Code, Decimal128, Long, ObjectId, UUID } from "bson";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { codeOf, doneOf, messageOf, pageOf, type Row, rowsOf } from "./database-support.ts";
import { createDataApi } from "./servers/data-api.ts";
import { type MongoServer, startMongoServer } from "./servers/mongo/server.ts";
import { startTcpProxy } from "./servers/tcp-proxy.ts";
import { startWebServer, type WebServer } from "./servers/web-server.ts";
import { type CallOptions, hasToolWorker, type ToolAnswer, type ToolHost, toolHost } from "./tool-host.ts";

const account = { user: "bot", password: "p@ss=,w/ö" };
const API_KEY = "data-api-key-0123456789";
const mixed = {
  _id: new ObjectId("6193504e1be4ab27791c8133"),
  ...{
    small: 1,
    wide: 5_000_000_000,
    half: 1.5,
    big: Long.fromString("9007199254740993"),
    yes: true,
    none: null,
  },
  ...{ price: Decimal128.fromString("12345678901234567890.10"), at: new Date("2026-01-02T03:04:05.678Z") },
  ...{ bytes: new Binary(Buffer.from([0, 255])), uid: new UUID("6f9d6c5e-1f2b-4a51-9d3e-0a1b2c3d4e5f") },
  ...{ inner: { list: [1, "two", { three: 3 }] }, text: "' \" $ne \u{1f600}" },
};
const shown = {
  ...{
    _id: { $oid: "6193504e1be4ab27791c8133" },
    small: 1,
    wide: 5_000_000_000,
    half: 1.5,
    yes: true,
    none: null,
  },
  ...{ big: { $numberLong: "9007199254740993" }, price: { $numberDecimal: "12345678901234567890.10" } },
  ...{ at: { $date: "2026-01-02T03:04:05.678Z" }, bytes: { $binary: "AP8=" } },
  ...{ uid: { $uuid: "6f9d6c5e-1f2b-4a51-9d3e-0a1b2c3d4e5f" }, inner: { list: [1, "two", { three: 3 }] } },
  text: "' \" $ne \u{1f600}",
};

describe.skipIf(!hasToolWorker())("Database with MongoDB", () => {
  let host: ToolHost;
  let wire: MongoServer;
  let web: WebServer;
  const api = createDataApi({ header: "api-key", key: API_KEY });

  beforeAll(async () => {
    host = toolHost();
    wire = await startMongoServer({ account });
    web = await startWebServer(api.handler);
  });
  /** Whatever happened: no connection is left on the server's side. */
  afterEach(() => wire.quiet());
  afterAll(async () => {
    await wire?.close();
    await web?.stop();
  });

  type Ask = (args: Row, changes?: Row, options?: CallOptions) => Promise<ToolAnswer>;
  const withoutSecrets = (answer: ToolAnswer) => {
    for (const secret of [account.password, encodeURIComponent(account.password), API_KEY]) {
      expect(JSON.stringify(answer)).not.toContain(secret);
    }
    return answer;
  };
  const overWire: Ask = async (args, changes = {}, options) => {
    const place = { type: "mongodb", host: "localhost", port: wire.port, database: "shop" };
    const login = { username: account.user, password: account.password };
    const config = { ...place, ...login, allowedTables: ["orders", "all", "new"], ...changes };
    return withoutSecrets(await host.call("Database", config, { table: "orders", ...args }, options));
  };
  const overHttp: Ask = async (args, changes = {}, options) => {
    const place = { type: "mongodb-data-api", baseUrl: `${web.baseUrl}/data/v1/`, dataSource: "cluster" };
    const login = { database: "shop", apiKey: API_KEY, apiKeyHeader: "api-key" };
    const config = { ...place, ...login, allowedTables: ["orders", "all", "new"], ...changes };
    const call = { table: "orders", ...args };
    return withoutSecrets(await host.call("Database", config, call, { allow: [web.host], ...options }));
  };

  describe.each<
    [string, Ask, (name: string) => { readonly documents: object[]; insert(document: object): unknown }]
  >([
    ["its own protocol", (...call) => overWire(...call), (name) => wire.collection("shop", name)],
    ["the Data API's", (...call) => overHttp(...call), (name) => api.collection(name)],
  ])("over %s", (_way, ask, collection) => {
    it("shows every type of value as it can be sent back", async () => {
      collection("orders").insert({ ...mixed });
      collection("orders").insert({ _id: 2, code: new Code("x") });
      const where = [{ column: "_id", op: "eq", value: shown._id }];
      expect(rowsOf(await ask({ action: "query", where }))).toEqual([shown]);
      const copy = { ...shown, _id: "copy" };
      expect(doneOf(await ask({ action: "insert", rows: [copy] }))).toEqual({ inserted: 1, ids: ["copy"] });
      for (const [column, value] of Object.entries(shown)) {
        if (column === "_id" || value === null) continue;
        const found = await ask({ action: "query", columns: ["_id"], where: [{ column, op: "eq", value }] });
        expect({ column, count: rowsOf(found).length }).toEqual({ column, count: 2 });
      }
      const other = [{ column: "_id", op: "eq", value: 2 }];
      expect(rowsOf(await ask({ action: "query", where: other }))).toMatchObject([{ code: { $code: "x" } }]);
    });

    it("finds by every operator", async () => {
      const documents = [1, 2, 3, 4].map((n) => ({ _id: n, n, name: `No. ${n}`, tags: { kind: n % 2 } }));
      for (const document of documents)
        collection("all").insert({ ...document, ...(document.n > 2 ? { late: 1 } : {}) });
      const found = async (column: string, op: string, value?: unknown) => {
        const where = [{ column, op, ...(value === undefined ? {} : { value }) }];
        return rowsOf(await ask({ action: "query", table: "all", columns: ["_id"], where })).map(
          ({ _id }) => _id,
        );
      };
      expect(await found("n", "ne", 2)).toEqual([1, 3, 4]);
      expect(await found("n", "lt", 2)).toEqual([1]);
      expect(await found("n", "lte", 2)).toEqual([1, 2]);
      expect(await found("n", "gt", 3)).toEqual([4]);
      expect(await found("n", "gte", 3)).toEqual([3, 4]);
      expect(await found("n", "in", [1, 4])).toEqual([1, 4]);
      expect(await found("n", "not_in", [1, 4])).toEqual([2, 3]);
      expect(await found("n", "between", [2, 3])).toEqual([2, 3]);
      expect(await found("name", "like", "no_ %3")).toEqual([3]);
      expect(await found("name", "contains", "O. 4")).toEqual([4]);
      expect(await found("name", "starts_with", "no.")).toEqual([1, 2, 3, 4]);
      expect(await found("late", "is_null")).toEqual([1, 2]);
      expect(await found("late", "is_not_null")).toEqual([3, 4]);
      expect(await found("tags.kind", "eq", 0)).toEqual([2, 4]);
    });

    it("groups, orders and pages", async () => {
      const aggregates = [
        { function: "count" },
        { function: "sum", column: "n" },
        { function: "count", column: "late" },
      ];
      const args = { action: "query", table: "all", groupBy: ["tags.kind"], aggregates, limit: 1 };
      const first = pageOf(await ask({ ...args, orderBy: [{ column: "sum_n", direction: "desc" }] }));
      expect(first).toMatchObject({
        rows: [{ "tags.kind": 0, count: 2, sum_n: 6, count_late: 1 }],
        nextOffset: 1,
      });
      const ordered = {
        action: "query",
        table: "all",
        columns: ["n"],
        orderBy: [{ column: "n", direction: "desc" }],
      };
      expect(pageOf(await ask({ ...ordered, limit: 2, offset: 2 }))).toEqual({
        rows: [{ n: 2 }, { n: 1 }],
        nextOffset: null,
        notes: [],
      });
    });

    it("upserts by the keys it is given", async () => {
      const upsert = (rows: Row[]) => ask({ action: "upsert", table: "new", keys: ["_id"], rows });
      expect(
        doneOf(
          await upsert([
            { _id: "a", n: 1 },
            { _id: "b", n: 1 },
          ]),
        ),
      ).toEqual({ inserted: 2, updated: 0 });
      expect(doneOf(await upsert([{ _id: "b", m: 2 }, { _id: "c" }]))).toEqual({ inserted: 1, updated: 1 });
      expect(rowsOf(await ask({ action: "query", table: "new" }))).toEqual([
        { _id: "a", n: 1 },
        { _id: "b", n: 1, m: 2 },
        { _id: "c" },
      ]);
      const keyless = await ask({ action: "upsert", table: "new", keys: ["name"], rows: [{ n: 1 }] });
      expect(codeOf(keyless)).toBe("keys_refused");
    });

    it("refuses a second document with the same id, and writes for readers only", async () => {
      const insert = { action: "insert", table: "new", rows: [{ _id: "a" }] };
      expect(codeOf(await ask(insert))).toBe("duplicate_key");
      expect(codeOf(await ask({ ...insert, rows: [{ _id: "z" }] }, { readOnly: true }))).toBe("read_only");
      expect(
        codeOf(await ask({ action: "query", table: "system.users" }, { allowedTables: ["system.users"] })),
      ).toBe("table_refused");
    });

    it("cuts what is too much, and says so", async () => {
      for (let index = 0; index < 300; index += 1)
        collection("new").insert({ _id: 1_000 + index, text: "x".repeat(200) });
      const page = pageOf(await ask({ action: "query", table: "new", limit: 1_000 }, { maxRows: 250 }));
      expect(page.nextOffset).toBe(page.rows.length);
      expect(page.rows.length).toBeLessThan(100);
      expect(page.notes.join()).toContain("offset");
    });
  });

  it("knows TLS by the certificate's name, and connection strings", async () => {
    const tls = inject("certificates");
    if (tls === null) throw new Error("no certificates");
    const secure = await startMongoServer({ account, tls });
    const query = { action: "query" };
    expect(codeOf(await overWire(query, { port: secure.port, tls: true }))).toBe("done");
    const login = `${account.user}:${encodeURIComponent(account.password)}`;
    const connectionString = `mongodb://${login}@localhost:${secure.port}/shop?tls=true&authSource=admin`;
    expect(codeOf(await overWire(query, { connectionString }))).toBe("done");
    expect(codeOf(await overWire(query, { port: secure.port, tls: true, host: "127.0.0.1" }))).toBe(
      "tls_refused",
    );
    expect(codeOf(await overWire(query, { connectionString: `mongodb://${login}@/?x` }))).toBe(
      "misconfigured",
    );
    await secure.quiet();
    await secure.close();
  });

  it.each<[string, string, Row]>([
    ["a wrong password", "login_refused", { password: "wrong" }],
    ["a refused connection", "connection_refused", { port: 1 }],
    ["an unknown host", "host_unknown", { host: "no-such-host.invalid", tls: false }],
  ])("says so of %s: %s", async (_what, code, changes) => {
    expect(codeOf(await overWire({ action: "query" }, changes))).toBe(code);
  });

  it("says so when the server goes away, is slow, or never speaks, and when it is aborted", async () => {
    wire.treat("find", "cut");
    expect(codeOf(await overWire({ action: "query" }))).toBe("connection_lost");
    wire.treat("find", "hold");
    expect(codeOf(await overWire({ action: "query" }))).toBe("time_limit");
    const aborted = await overWire({ action: "query" }, {}, { abortWhen: wire.received("find") });
    expect(aborted.kind).toBe("threw");
    wire.treat("find", "answer");
    const silent = await startTcpProxy(null);
    expect(codeOf(await overWire({ action: "query" }, { port: silent.port }))).toBe("time_limit");
    await silent.idle();
    await silent.stop();
  });

  it("serves a hundred calls in a row (known failures 139 to 141)", async () => {
    const codes: string[] = [];
    for (let run = 0; run < 100; run += 1) codes.push(codeOf(await overWire({ action: "query", limit: 1 })));
    expect(codes.filter((code) => code !== "done")).toEqual([]);
  });

  it("over HTTP says what is wrong, and never tells the key", async () => {
    const query = { action: "query" };
    const wrongKey = await overHttp(query, { apiKey: "another-key-0123456789" });
    expect(codeOf(wrongKey)).toBe("login_refused");
    expect(messageOf(wrongKey)).not.toContain("another-key-0123456789");
    expect(codeOf(await overHttp(query, { baseUrl: `${web.baseUrl}/elsewhere` }))).toBe("misconfigured");
    expect(codeOf(await overHttp(query, { dataSource: "another" }))).toBe("failed");
    const nobody = { baseUrl: "http://127.0.0.1:1/data/v1" };
    expect(codeOf(await overHttp(query, nobody, { allow: ["127.0.0.1:1"] }))).toBe("connection_lost");
    // Not on the operator's list.
    expect(codeOf(await overHttp(query, {}, { allow: [] }))).toBe("not_permitted");
  });

  it.each<[string, string, Parameters<typeof startWebServer>[0]]>([
    ["cuts the connection", "connection_lost", () => "cut"],
    [
      "breaks off in its answer",
      "connection_lost",
      () => ({ status: 200, body: '{"documents":[]}', end: "cut" }),
    ],
    ["never answers", "time_limit", () => "hang"],
    ["answers with something else", "failed", () => ({ status: 200, body: "<html>" })],
    ["answers with megabytes", "too_large", () => ({ status: 200, body: `"${"x".repeat(9_000_000)}"` })],
    ["is overloaded", "busy", () => ({ status: 503, body: "later" })],
    ["leads elsewhere", "not_permitted", () => ({ status: 307, headers: { location: "/x" }, body: "" })],
  ])("over HTTP says so when the server %s: %s", async (_what, code, handler) => {
    const bad = await startWebServer(handler);
    const changes = { baseUrl: `${bad.baseUrl}/data/v1` };
    expect(codeOf(await overHttp({ action: "query" }, changes, { allow: [bad.host] }))).toBe(code);
    await bad.stop();
  });

  it("over HTTP gives a request up when it is aborted", async () => {
    const slow = await startWebServer(() => "hang");
    const options = { allow: [slow.host], abortWhen: slow.received(1) };
    const answer = await overHttp({ action: "query" }, { baseUrl: `${slow.baseUrl}/data/v1` }, options);
    expect(answer.kind).toBe("threw");
    await slow.givenUp();
    await slow.stop();
  });
});
