/** What commands that talk to an instance have in common on their command line. */
import { parseArgs } from "node:util";
import { Problem } from "../instance/problem.mjs";

/** Of every such command. */
export const TARGET_OPTIONS = {
  url: { type: "string" },
  token: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
};

/** Of those that also go to another machine. */
export const REMOTE_OPTION = { remote: { type: "boolean", default: false } };

export const TARGET_HELP = {
  "--url URL": "the instance; else PARLEY_URL, else http://127.0.0.1:PORT (PORT: 8787)",
  "--token TOKEN": "its API token; else API_TOKEN, else from the file PARLEY_VARS or .dev.vars",
};

/** Of those that do not need an instance that runs. */
export const STARTED_TARGET_HELP = {
  ...TARGET_HELP,
  "--url URL": "the instance; else PARLEY_URL, else the one on this machine (started when it does not run)",
};

/** Lines of a help text, from each option to what it means. */
export function optionLines(options) {
  const width = Math.max(...Object.keys(options).map((name) => name.length));
  return Object.entries(options)
    .map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
    .join("\n");
}

/** @returns {{ok: true, values: object, positionals: string[]} | {ok: false, message: string}} */
export function parseCommandLine(argv, options) {
  try {
    return { ok: true, ...parseArgs({ args: argv, options, allowPositionals: true }) };
  } catch (error) {
    return { ok: false, message: error.message.replace(/ To specify a positional.*$/s, "") };
  }
}

/** The same; throws a {@link Problem} that names the command's help. */
export function readCommandLine(argv, options, command) {
  const parsed = parseCommandLine(argv, options);
  if (!parsed.ok) throw usage(parsed.message, command);
  return parsed;
}

export function usage(message, command) {
  return new Problem(`${message} See npm run ${command} -- --help`);
}
