// `npm run token -- list | create NAME --role R | revoke NAME`: who may use an instance's API, and as what.
import { askApi } from "./client/call.mjs";
import { runningInstance } from "./client/reach.mjs";
import { logToStderr, runMain } from "./instance/problem.mjs";
import { HELP, readTokenArguments } from "./token/arguments.mjs";

const RUN = { list, create, revoke };

async function main() {
  const asked = readTokenArguments(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  await RUN[asked.command](runningInstance(asked.options), asked);
}

async function list(target) {
  const tokens = await askApi(target, "/api/tokens");
  const rows = tokens.map(({ name, role, createdAt, expiresAt, lastUsedAt }) => [
    name,
    role,
    minute(createdAt),
    minute(expiresAt),
    minute(lastUsedAt),
  ]);
  const table = [["name", "role", "created", "expires", "last used"], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd()}\n`,
    );
}

const minute = (time) => (time === null ? "-" : time.slice(0, 16).replace("T", " "));

/** The token alone goes to stdout, so that it can be piped to where it belongs. */
async function create(target, { name, role, expiresAt }) {
  const made = await askApi(target, "/api/tokens", { method: "POST", body: { name, role, expiresAt } });
  logToStderr(
    `${name}, ${role}, ${expiresAt === undefined ? "does not expire" : `until ${expiresAt}`}. It is shown this once:`,
  );
  process.stdout.write(`${made.token}\n`);
}

async function revoke(target, { name }) {
  await askApi(target, `/api/tokens/${encodeURIComponent(name)}`, { method: "DELETE" });
  logToStderr(`${name} is revoked.`);
}

runMain(main);
