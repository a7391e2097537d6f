/** What was asked for on the command line. */
import { parseArgs } from "node:util";

export const HELP = `The config of a Parley instance, from a file and back.

  npm run config -- check FILE             validate here; each problem with its path
  npm run config -- push [--remote] FILE   send the file to the instance, which validates it too
  npm run config -- pull                   print the instance's config as a file

Options
  --url URL      the instance; else PARLEY_URL, else http://127.0.0.1:PORT (PORT: 8787)
  --token TOKEN  its API token; else API_TOKEN, else from the file PARLEY_VARS or .dev.vars
  --remote       FILE goes to a deployed instance; needs an https address
  --help         this text

FILE is JSON and may hold comments and trailing commas. A "script" of a scripted model that ends in
.json is a path beside FILE. Secrets stand in it as {"$secret": "NAME"}, never as values.`;

const COMMANDS = new Map([
  ["check", 1],
  ["push", 1],
  ["pull", 0],
]);

const OPTIONS = {
  url: { type: "string" },
  token: { type: "string" },
  remote: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
};

/** @returns {{ok: true, command: string, file: string | undefined, options: object} | {ok: false, message: string}} */
export function readArguments(argv) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
    if (values.help) return { ok: true, command: "help", file: undefined, options: values };
    const [command, ...files] = positionals;
    const wanted = COMMANDS.get(command);
    if (wanted === undefined) return { ok: false, message: commandMessage(command) };
    if (files.length !== wanted)
      return { ok: false, message: `${command} takes ${wanted === 1 ? "one FILE" : "no file"}.` };
    return { ok: true, command, file: files[0], options: values };
  } catch (error) {
    return { ok: false, message: error.message.replace(/ To specify a positional.*$/s, "") };
  }
}

function commandMessage(command) {
  return command === undefined ? "Say what to do: check, push or pull." : `There is no command ${command}.`;
}
