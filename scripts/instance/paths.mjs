import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const root = resolve(fileURLToPath(new URL("../../", import.meta.url)));

export const binFolder = join(root, "node_modules", ".bin");

/** A command line tool of the installed packages. */
export const packageBin = (name) => join(binFolder, name);

/**
 * The Node that children run on: the one from the `node` package, because wrangler refuses the Node 20 that
 * may have started us.
 */
export function nodeBinary() {
  const installed = packageBin("node");
  return existsSync(installed) ? installed : process.execPath;
}

/** Set by test runners, and read by the tools we start as "you are under test". */
const runnerVariables = /^(VITEST($|_)|JEST_|NODE_ENV$|NODE_OPTIONS$|CLOUDFLARE_ENV$)/;

/**
 * The environment of a child process: ours, the installed tools first on the path, and what keeps wrangler
 * silent, away from the network and out of the home directory.
 */
export function childEnvironment(extra = {}) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !runnerVariables.test(name)));
  return {
    ...own,
    PATH: `${binFolder}${delimiter}${process.env.PATH ?? ""}`,
    CI: "1",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    // Its debug log lies in the home directory and may quote the vars.
    WRANGLER_WRITE_LOGS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    CLOUDFLARE_INCLUDE_PROCESS_ENV: "false",
    // Records every span in SQLite: hundreds of megabytes, and calls between objects twenty times slower.
    X_LOCAL_OBSERVABILITY: "false",
    ...extra,
  };
}
