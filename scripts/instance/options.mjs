/** The command line of commands that take options and nothing else. */
import { parseArgs } from "node:util";
import { UsageProblem } from "./problem.mjs";

const HELP = { help: { type: "boolean", short: "h", default: false } };

/**
 * The options' values; `help` is one of every command. Throws a {@link UsageProblem} for anything else.
 * @param command as it is typed, such as `npm start`
 * @param options as for `parseArgs`
 */
export function readOptions(argv, command, options = {}) {
  const known = { ...options, ...HELP };
  try {
    return parseArgs({ args: argv, options: known }).values;
  } catch (error) {
    const names = Object.keys(known).map((name) => `--${name}`);
    throw unknownOption(firstSentence(error.message), command, names.join(", "));
  }
}

/** @param known which options there are */
export function unknownOption(message, command, known) {
  return new UsageProblem(`${message}. ${command} knows ${known}.`);
}

/** Without advice on texts that begin with a hyphen. */
const firstSentence = (message) => message.split(/\.(?:\s|$)/)[0];
