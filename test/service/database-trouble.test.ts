import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Admin,
  adminOf,
  codeOf,
  hasMariaDb,
  mariaDb,
  mysqlConfig,
  type Row,
} from "./database-support.ts";
import { startTcpProxy, type TcpProxy } from "./servers/tcp-proxy.ts";
import { type CallOptions, type ToolHost, toolHost } from "./tool-host.ts";

describe.skipIf(!hasMariaDb())("Database in trouble with MariaDB", () => {
  let admin: Admin;
  let host: ToolHost;
  const proxies: TcpProxy[] = [];

  beforeAll(async () => {
    host = toolHost();
    admin = await adminOf(mariaDb());
    await admin.run(`
      CREATE TABLE calm (id INT PRIMARY KEY, name VARCHAR(20));
      INSERT INTO calm VALUES (1, 'one');
      CREATE VIEW slow AS SELECT id, SLEEP(30) AS slept FROM calm;
      CREATE TABLE locked (id INT PRIMARY KEY, name VARCHAR(20));
      INSERT INTO locked VALUES (1, 'one');
    `);
  });
  /** Whatever happened: no connection is left on the server's side. */
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.stop();
    for (const user of [mariaDb().user, mariaDb().tlsUser]) {
      await expect.poll(() => admin.connections(user), { timeout: 15_000 }).toBe(0);
    }
  });
  afterAll(() => admin?.close());

  const ask = async (changes: Row, args: Row = {}, options: CallOptions = {}) => {
    const config = mysqlConfig(["calm", "slow", "locked"], changes);
    const answer = await host.call("Database", config, { action: "query", table: "calm", ...args }, options);
    // Neither the password nor the whole connection string, in no form.
    const said = JSON.stringify(answer);
    for (const secret of [mariaDb().password, encodeURIComponent(mariaDb().password)]) {
      expect(said).not.toContain(JSON.stringify(secret).slice(1, -1));
    }
    return answer;
  };
  const proxied = async (options: { readonly breakAt?: string; readonly silentAt?: string } | null) => {
    const proxy = await startTcpProxy(options === null ? null : mariaDb().port, options ?? {});
    proxies.push(proxy);
    return proxy;
  };

  it("works through TLS by the certificate's name, and with a connection string", async () => {
    const { port, tlsUser, password, database } = mariaDb();
    expect(codeOf(await ask({ host: "localhost", tls: true, username: tlsUser }))).toBe("done");
    const connectionString = `mysql://${tlsUser}:${encodeURIComponent(password)}@localhost:${port}/${database}?tls=true`;
    const config = { type: "mysql", connectionString, allowedTables: ["calm"] };
    expect(codeOf(await host.call("Database", config, { action: "query", table: "calm" }))).toBe("done");
  });

  it.each<[string, string, Row]>([
    ["a certificate for another name", "tls_refused", { host: "127.0.0.1", tls: true }],
    ["an account that may come over TLS only", "login_refused", { username: "secure-reader", tls: false }],
    ["a wrong password", "login_refused", { password: "wrong" }],
    ["an unknown user", "login_refused", { username: "nobody" }],
    ["a database that the account may not use", "not_permitted", { database: "mysql" }],
    ["a refused connection", "connection_refused", { port: 1 }],
    ["an unknown host", "host_unknown", { host: "no-such-host.invalid", tls: false }],
    ["a connection string that is none", "misconfigured", { connectionString: "mysql://:pw@/" }],
    [
      "a connection string with options",
      "misconfigured",
      { connectionString: "mysql://u:p@h/d?multipleStatements=true" },
    ],
  ])("says so of %s: %s", async (_what, code, changes) => {
    expect(codeOf(await ask(changes))).toBe(code);
  });

  it("says so when the server goes away before and in the middle of a statement", async () => {
    for (const breakAt of [mariaDb().user, "FROM `shop`.`calm`"]) {
      const { port } = await proxied({ breakAt });
      expect(codeOf(await ask({ port }))).toBe("connection_lost");
    }
  });

  it("gives up on a server that never speaks", async () => {
    const { port } = await proxied(null);
    expect(codeOf(await ask({ port }))).toBe("time_limit");
  });

  it("ends a statement that takes too long, on the server too", async () => {
    expect(codeOf(await ask({}, { table: "slow" }))).toBe("time_limit");
  });

  it("gives up on a server that falls silent in the middle", async () => {
    const proxy = await proxied({ silentAt: "FROM `shop`.`calm`" });
    expect(codeOf(await ask({ port: proxy.port }))).toBe("time_limit");
    await proxy.idle();
  });

  it("closes its connection at once when it is aborted", async () => {
    const silent = await proxied(null);
    const connecting = await ask({ port: silent.port }, {}, { abortWhen: silent.connected });
    expect(connecting.kind).toBe("threw");
    await silent.idle();
    const proxy = await proxied({});
    const running = admin
      .rows("SELECT 1")
      .then(() => expect.poll(() => slowStatements(admin), { timeout: 10_000 }).toBe(1));
    expect((await ask({ port: proxy.port }, { table: "slow" }, { abortWhen: running })).kind).toBe("threw");
    await proxy.idle();
  });

  it("says that rows are locked by others, and changes nothing", async () => {
    await admin.run("START TRANSACTION; UPDATE locked SET name = 'held' WHERE id = 1");
    const rows = [
      { id: 2, name: "two" },
      { id: 1, name: "mine" },
    ];
    expect(codeOf(await ask({}, { action: "upsert", table: "locked", keys: ["id"], rows }))).toBe("busy");
    await admin.run("ROLLBACK");
    expect(await admin.rows("SELECT id, name FROM locked")).toEqual([{ id: 1, name: "one" }]);
  });

  it("serves a hundred calls in a row and twenty at once, each on a connection of its own (known failures 139 to 141)", async () => {
    const codes: string[] = [];
    for (let run = 0; run < 100; run += 1) codes.push(codeOf(await ask({})));
    codes.push(...(await Promise.all(Array.from({ length: 20 }, () => ask({})))).map(codeOf));
    expect(codes.filter((code) => code !== "done")).toEqual([]);
  });

  it("keeps one row when many insert the same at once", async () => {
    const rows = [{ id: 7, name: "seven" }];
    const args = { action: "upsert", keys: ["id"], rows };
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask({}, args)));
    expect(answers.map(codeOf).filter((code) => code !== "done")).toEqual([]);
    expect(await admin.rows("SELECT name FROM calm WHERE id = 7")).toEqual([{ name: "seven" }]);
  });
});

async function slowStatements(admin: Admin): Promise<number> {
  const sql = "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = ? AND INFO LIKE 'SELECT%slow%'";
  return (await admin.rows(sql, [mariaDb().user])).length;
}
