import {
  optionLines,
  readCommandLine,
  STARTED_TARGET_HELP,
  TARGET_OPTIONS,
  usage,
} from "../client/command-line.mjs";
import { Problem } from "../instance/problem.mjs";

export const HELP = `One call of a tool with an agent's config: its secrets, its files, its state.

  npm run tool -- NAME JSON           NAME as in the config, JSON the arguments as a model would send them
  npm run tool -- FileRW '{"action":"list","path":""}'

Options
${optionLines({
  "--agent ID": "whose config; else the first agent that has the tool",
  "--function NAME": "for tools with several functions; else the one named like the tool",
  ...STARTED_TARGET_HELP,
  "--help": "this text",
})}

The result goes to stdout; the exit code is 0 when the call went well. The call is on record in the audit.`;

const OPTIONS = { ...TARGET_OPTIONS, agent: { type: "string" }, function: { type: "string" } };

/** What was asked for, or `"help"`. Throws a {@link Problem} with what is right. */
export function readToolArguments(argv) {
  const { values, positionals } = readCommandLine(argv, OPTIONS, "tool");
  if (values.help) return "help";
  const [name, json, ...rest] = positionals;
  if (name === undefined || json === undefined || rest.length > 0)
    throw usage("Say the tool's name and its arguments as one piece of JSON.", "tool");
  return {
    name,
    arguments: readObject(json),
    agent: values.agent,
    function: values.function ?? name,
    options: { url: values.url, token: values.token },
  };
}

function readObject(json) {
  try {
    const value = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below, like any other text that is no object.
  }
  throw new Problem(`The arguments are not a JSON object: ${json}`);
}
