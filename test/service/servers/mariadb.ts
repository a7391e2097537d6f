import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, mkdirSync, openSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Certificates } from "./certificates.ts";
import { freePort } from "./free-port.ts";

/** How to reach the server; plain and TLS share the port. */
export interface MariaDbAccess {
  readonly port: number;
  /** All rights on it for `user`, and no others. */
  readonly database: string;
  /** A second database, of which `user` knows nothing and may read everything. */
  readonly otherDatabase: string;
  readonly user: string;
  readonly password: string;
  /** Like `user`, but the server takes it over TLS only. */
  readonly tlsUser: string;
  /** May see every connection and do everything; for the tests themselves. */
  readonly admin: { readonly user: string; readonly password: string };
}

export interface RunningServer<Access> {
  readonly access: Access;
  stop(): Promise<void>;
}

const START_MS = 60_000;
const access = {
  database: "shop",
  otherDatabase: "payroll",
  user: "reader",
  password: "reader-pa55'word\\",
  tlsUser: "secure-reader",
  admin: { user: "test-admin", password: "admin-pa55word" },
};

/** Starts a MariaDB server of its own in `folder`; nobody else's is touched. @param mariadbd path of the server */
export async function startMariaDb(
  folder: string,
  mariadbd: string,
  certificates: Certificates,
): Promise<RunningServer<MariaDbAccess>> {
  const port = await freePort();
  const data = prepareFolder(folder, certificates);
  const owner = asRoot() ? ["--user=mysql"] : [];
  const log = openSync(join(folder, "mariadbd.log"), "a");
  execFileSync("mariadb-install-db", ["--no-defaults", ...owner, `--datadir=${data}`, "--skip-test-db"], {
    stdio: ["ignore", log, log],
  });
  const server = spawn(
    mariadbd,
    [
      ...["--no-defaults", ...owner, `--datadir=${data}`, `--socket=${join(folder, "socket")}`],
      ...["--bind-address=127.0.0.1", `--port=${port}`, "--skip-name-resolve", "--skip-log-bin"],
      ...["--character-set-server=utf8mb4", "--innodb-buffer-pool-size=32M", "--performance-schema=OFF"],
      `--init-file=${join(folder, "users.sql")}`,
      ...[
        `--ssl-ca=${certificates.ca}`,
        `--ssl-cert=${certificates.cert}`,
        `--ssl-key=${join(folder, "key")}`,
      ],
    ],
    { stdio: ["ignore", log, log] },
  );
  await untilListening(server, port);
  return { access: { port, ...access }, stop: () => stopServer(server) };
}

/** Database, socket and key, so that the account `mysql`, under which root starts it, may use them. */
function prepareFolder(folder: string, certificates: Certificates): string {
  mkdirSync(folder);
  const data = join(folder, "data");
  mkdirSync(data);
  copyFileSync(certificates.key, join(folder, "key"));
  writeFileSync(join(folder, "users.sql"), userStatements());
  chmodSync(join(folder, "key"), 0o400);
  if (asRoot()) {
    const { uid, gid } = accountOfMysql();
    for (const path of [folder, data, join(folder, "key")]) chownSync(path, uid, gid);
  }
  return data;
}

const asRoot = () => process.getuid?.() === 0;

/** Debian's package makes this folder for the account. */
function accountOfMysql() {
  return statSync("/var/lib/mysql");
}

/** One statement per line, as the server reads the file. */
function userStatements(): string {
  const text = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
  const { admin, user, tlsUser, password, database, otherDatabase } = access;
  return [
    `CREATE DATABASE ${database};`,
    `CREATE DATABASE ${otherDatabase};`,
    `CREATE USER ${text(user)}@'%' IDENTIFIED BY ${text(password)};`,
    `CREATE USER ${text(tlsUser)}@'%' IDENTIFIED BY ${text(password)} REQUIRE SSL;`,
    `CREATE USER ${text(admin.user)}@'%' IDENTIFIED BY ${text(admin.password)};`,
    `GRANT ALL ON *.* TO ${text(admin.user)}@'%';`,
    `GRANT ALL ON ${database}.* TO ${text(user)}@'%', ${text(tlsUser)}@'%';`,
    `GRANT SELECT ON ${otherDatabase}.* TO ${text(user)}@'%';`,
    "",
  ].join("\n");
}

/** Resolves at the first accepted connection. Rejects when the server ends before. */
async function untilListening(server: ChildProcess, port: number): Promise<void> {
  const giveUp = AbortSignal.timeout(START_MS);
  for (;;) {
    if (server.exitCode !== null) throw new Error("MariaDB ended at its start; see mariadbd.log");
    giveUp.throwIfAborted();
    const socket = connect(port, "127.0.0.1");
    const up = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (up) return;
    await wait(50);
  }
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, "exit");
  server.kill("SIGTERM");
  await exited;
}
