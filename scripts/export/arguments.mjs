import {
  optionLines,
  REMOTE_OPTION,
  readCommandLine,
  TARGET_HELP,
  TARGET_OPTIONS,
  usage,
} from "../client/command-line.mjs";

export const HELP = `A chain as one JSON file: its runs, tool calls, messages, tasks, approvals and notices, all texts whole.

  npm run export -- ROOTRUNID         prints it
  npm run export -- ROOTRUNID FILE    writes it to a file

Options
${optionLines({ "--remote": "the instance is not on this machine", ...TARGET_HELP, "--help": "this text" })}`;

/** What was asked for, or `"help"`. Throws a Problem with what is right. */
export function readExportArguments(argv) {
  const { values, positionals } = readCommandLine(argv, { ...TARGET_OPTIONS, ...REMOTE_OPTION }, "export");
  if (values.help) return "help";
  const [rootRunId = "", file, ...rest] = positionals;
  if (rootRunId === "" || rest.length > 0)
    throw usage("Say which chain: ROOTRUNID, and a FILE at most.", "export");
  const { remote, url, token } = values;
  return { rootRunId, file, options: { remote, url, token } };
}
