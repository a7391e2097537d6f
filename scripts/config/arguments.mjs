/** What was asked for on the command line. */
import {
  optionLines,
  parseCommandLine,
  REMOTE_OPTION,
  TARGET_HELP,
  TARGET_OPTIONS,
} from "../client/command-line.mjs";

export const HELP = `The config of a Parley instance, from a file and back.

  npm run config -- check FILE             validate here; each problem with its path
  npm run config -- push [--remote] FILE   send the file to the instance, which validates it too
  npm run config -- pull                   print the instance's config as a file
  npm run config -- diff FILE              what a push of the file would change
  npm run config -- versions AGENT         the kept versions of an agent's document; "instance": of the instance's
  npm run config -- rollback AGENT N       puts version N in force again, as the newest one

Options
${optionLines({
  ...TARGET_HELP,
  "--yes": "push and rollback write without asking, as they do without a terminal",
  "--remote": "FILE goes to a deployed instance; needs an https address",
  "--help": "this text",
})}

FILE is JSON and may hold comments and trailing commas. A "script" of a scripted model that ends in
.json is a path beside FILE. Secrets stand in it as {"$secret": "NAME"}, never as values.`;

const YES_OPTION = { yes: { type: "boolean", short: "y", default: false } };
const FILE = ["FILE"];
/** What each takes. */
const COMMANDS = new Map([
  ["check", FILE],
  ["push", FILE],
  ["pull", []],
  ["diff", FILE],
  ["versions", ["AGENT"]],
  ["rollback", ["AGENT", "VERSION"]],
]);

/**
 * `file`: the first of what the command takes, which is an agent's id for some.
 * @returns {{ok: true, command: string, file: string | undefined, version: string | undefined, options: object} | {ok: false, message: string}}
 */
export function readArguments(argv) {
  const parsed = parseCommandLine(argv, { ...TARGET_OPTIONS, ...REMOTE_OPTION, ...YES_OPTION });
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed;
  if (values.help) return { ok: true, command: "help", file: undefined, options: values };
  const [command, ...given] = positionals;
  const wanted = COMMANDS.get(command);
  if (wanted === undefined) return { ok: false, message: commandMessage(command) };
  if (given.length !== wanted.length)
    return { ok: false, message: `${command} takes ${wanted.join(" and ") || "nothing more"}.` };
  const [file, version] = given;
  return { ok: true, command, file, version, options: values };
}

function commandMessage(command) {
  return command === undefined
    ? `Say what to do: ${[...COMMANDS.keys()].join(", ")}.`
    : `There is no command ${command}.`;
}
