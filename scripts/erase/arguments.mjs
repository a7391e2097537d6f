import {
  optionLines,
  REMOTE_OPTION,
  readCommandLine,
  TARGET_HELP,
  TARGET_OPTIONS,
  usage,
} from "../client/command-line.mjs";

export const HELP = `Erases one person's data: puts [erased] in the place of an address or text, wherever the instance keeps it.

  npm run erase -- --text "anna@example.org" --dry-run   counts where it stands, and changes nothing
  npm run erase -- --text "anna@example.org"             erases it, then looks once more and says what is left
  npm run erase -- --text - --yes < FILE                 the same, and no list of processes shows the text

What was interrupted goes on with the same command. It cannot be undone. What it does not reach: docs/administration.md.

Options
${optionLines({
  "--text TEXT": "at least four characters; case does not matter; - reads it from the standard input",
  "--dry-run": "count only",
  "--yes": "do not ask",
  "--remote": "the instance is not on this machine",
  ...TARGET_HELP,
  "--help": "this text",
})}`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  ...REMOTE_OPTION,
  text: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", short: "y", default: false },
};

/** What was asked for, or `"help"`. Throws a Problem with what is right. */
export function readEraseArguments(argv) {
  const { values, positionals } = readCommandLine(argv, OPTIONS, "erase");
  if (values.help) return "help";
  const { text = "", remote, url, token, yes } = values;
  if (positionals.length > 0 || text.trim() === "") throw usage('Say what to erase: --text "...".', "erase");
  return { text, dryRun: values["dry-run"], yes, options: { remote, url, token } };
}
