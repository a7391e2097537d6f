/**
 * Starts what the service tests talk to, once for all of them: servers in a temporary folder, and a real
 * workerd that runs the bundled tools. What is not installed is not started, and its tests skip.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Certificates, makeCertificates } from "./servers/certificates.ts";
import { type DovecotAccess, startDovecot } from "./servers/dovecot.ts";
import { type MariaDbAccess, startMariaDb } from "./servers/mariadb.ts";
import { startToolWorker } from "./servers/tool-worker.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Null without OpenSSL. */
    readonly certificates: Certificates | null;
    /** Null without MariaDB or OpenSSL. */
    readonly mariadb: MariaDbAccess | null;
    /** Null without Dovecot, OpenSSL or the rights of root. */
    readonly dovecot: DovecotAccess | null;
    /** Base URL of the Worker that runs the tools; `toolHost()` speaks to it. Null without OpenSSL. */
    readonly toolWorker: string | null;
  }
}

/** Runs in Node; the function it returns stops everything. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "parley-service-"));
  // Servers that root starts run under accounts of their own, which must get through.
  chmodSync(folder, 0o755);
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async () => {
    for (const stop of stops.toReversed()) await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await startServers(project, folder, stops);
  } catch (error) {
    await stopAll();
    throw error;
  }
  return stopAll;
}

async function startServers(project: TestProject, folder: string, stops: (() => Promise<void>)[]) {
  const { PARLEY_OPENSSL: openssl, PARLEY_MARIADB: mariadbd, PARLEY_DOVECOT: dovecotd } = process.env;
  const certificates = openssl ? makeCertificates(join(folder, "tls"), openssl) : null;
  project.provide("certificates", certificates);
  const keep = <Access>(server: { readonly access: Access; stop(): Promise<void> }) => {
    stops.push(server.stop);
    return server.access;
  };
  // Each server: its file in servers/, one line here, its access in ProvidedContext.
  const mariadb =
    certificates && mariadbd
      ? keep(await startMariaDb(join(folder, "mariadb"), mariadbd, certificates))
      : null;
  project.provide("mariadb", mariadb);
  const dovecot =
    certificates && dovecotd && process.getuid?.() === 0
      ? keep(await startDovecot(join(folder, "dovecot"), dovecotd, certificates))
      : null;
  project.provide("dovecot", dovecot);
  const worker = certificates ? keep(await startToolWorker(join(folder, "worker"), certificates)) : null;
  project.provide("toolWorker", worker);
}
