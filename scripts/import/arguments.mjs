import { parseArgs } from "node:util";
import { Problem } from "../instance/problem.mjs";

export const HELP = `Takes the record of an older instance over: its runs, tool calls and messages.

  npm run import -- FILE                                          into the instance on this machine
  npm run import -- FILE --remote --url https://parley.example    into a deployed one

FILE is an SQLite database with the tables RunReceipts, AuditLog, AgentMessages, or some of them. It is only read.
The instance masks its secrets in every text. An import that was interrupted goes on where it stopped; what
is there already is not written twice.

Options
  --remote       the instance is not on this machine
  --url URL      the instance; else PARLEY_URL, else the one on this machine (started when it does not run)
  --token TOKEN  its API token; else API_TOKEN, else from the file PARLEY_VARS or .dev.vars
  --again        reads the file from its beginning, also where it was imported before
  --help         this text`;

const OPTIONS = {
  remote: { type: "boolean", default: false },
  url: { type: "string" },
  token: { type: "string" },
  again: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
};

/** What was asked for, or `"help"`. Throws a {@link Problem} with what is right. */
export function readImportArguments(argv) {
  const { values, positionals } = parse(argv);
  if (values.help) return "help";
  const [file, ...rest] = positionals;
  if (file === undefined || file === "" || rest.length > 0)
    throw new Problem("Name the one database file. See npm run import -- --help");
  const { remote, url, token } = values;
  return { file, again: values.again, options: { remote, url, token } };
}

function parse(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new Problem(
      `${error.message.replace(/ To specify a positional.*$/s, "")} See npm run import -- --help`,
    );
  }
}
