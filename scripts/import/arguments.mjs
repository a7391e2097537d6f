import {
  optionLines,
  REMOTE_OPTION,
  readCommandLine,
  STARTED_TARGET_HELP,
  TARGET_OPTIONS,
  usage,
} from "../client/command-line.mjs";

export const HELP = `Takes the record of an older instance over: its runs, tool calls and messages.

  npm run import -- FILE                                          into the instance on this machine
  npm run import -- FILE --remote --url https://parley.example    into a deployed one

FILE is an SQLite database with the tables RunReceipts, AuditLog, AgentMessages, or some of them. It is only read.
The instance masks its secrets in every text. An import that was interrupted goes on where it stopped; what
is there already is not written twice.

Options
${optionLines({
  "--remote": "the instance is not on this machine",
  ...STARTED_TARGET_HELP,
  "--again": "reads the file from its beginning, also where it was imported before",
  "--help": "this text",
})}`;

const OPTIONS = { ...TARGET_OPTIONS, ...REMOTE_OPTION, again: { type: "boolean", default: false } };

/** What was asked for, or `"help"`. Throws a {@link Problem} with what is right. */
export function readImportArguments(argv) {
  const { values, positionals } = readCommandLine(argv, OPTIONS, "import");
  if (values.help) return "help";
  const [file, ...rest] = positionals;
  if (file === undefined || file === "" || rest.length > 0)
    throw usage("Name the one database file.", "import");
  const { remote, url, token } = values;
  return { file, again: values.again, options: { remote, url, token } };
}
