import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Paths of PEM files. */
export interface Certificates {
  /** The test authority: what trusts this file trusts the test servers. */
  readonly ca: string;
  /** For `localhost` and for nothing else. */
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes a test authority and a certificate for the DNS name `localhost`. It names no IP address on purpose: a
 * client that checks it against the address instead of the name fails here as it would in production.
 * @param openssl path of the program
 */
export function makeCertificates(folder: string, openssl: string): Certificates {
  mkdirSync(folder);
  const path = (name: string) => join(folder, name);
  const run = (...args: string[]) => execFileSync(openssl, args, { stdio: ["ignore", "ignore", "pipe"] });
  const newKey = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", path(name)];
  run(
    ...["req", "-x509", ...newKey("ca.key"), "-out", path("ca.crt"), "-days", "30"],
    ...["-subj", "/CN=Parley test authority", "-addext", "basicConstraints=critical,CA:TRUE"],
  );
  run("req", ...newKey("server.key"), "-out", path("server.csr"), "-subj", "/CN=localhost");
  writeFileSync(path("extensions"), "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n");
  run(
    ...["x509", "-req", "-in", path("server.csr"), "-CA", path("ca.crt"), "-CAkey", path("ca.key")],
    ...["-CAcreateserial", "-days", "30", "-out", path("server.crt"), "-extfile", path("extensions")],
  );
  return { ca: path("ca.crt"), cert: path("server.crt"), key: path("server.key") };
}
