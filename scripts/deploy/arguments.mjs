/** What was asked for on the command line of `npm run deploy`. */
import { parseArgs } from "node:util";

export const HELP = `Deploys a Parley instance to your Cloudflare account. Safe to repeat: it finds what is there and goes on.

  npm run deploy                        everything, step by step
  npm run deploy -- --dry-run           all that needs no account: config, sizes, start-up, migrations, viewer

Options
  --config FILE  the team; else the one deployed last, else PARLEY_CONFIG, else the demo team, where there is nothing yet
  --name NAME    which instance of the account; default parley. Everything it has carries this name
  --yes          create what is missing without asking; needed where there is no terminal
  --adopt        use what the account has under these names, and write over it, although this machine did not make it
  --dry-run      touch nothing outside this machine
  --help         this text

Sign in once with npx wrangler login, or set CLOUDFLARE_API_TOKEN. With several accounts set
CLOUDFLARE_ACCOUNT_ID too. What is kept on this machine lies in .parley/NAME; see docs/deploy.md.`;

const OPTIONS = {
  config: { type: "string" },
  name: { type: "string", default: "parley" },
  yes: { type: "boolean", short: "y", default: false },
  adopt: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
};

/** Short enough for the longest name made of it, a bucket's; and fit for a host name. */
const NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * @returns {{ok: true, command: "help" | "dry-run" | "deploy", name: string, configFile: string | undefined,
 *   yes: boolean, adopt: boolean}
 *   | {ok: false, message: string}}
 */
export function readArguments(argv) {
  try {
    const { values } = parseArgs({ args: argv, options: OPTIONS });
    if (!NAME.test(values.name)) return { ok: false, message: nameRule(values.name) };
    return {
      ok: true,
      command: commandOf(values),
      name: values.name,
      configFile: values.config,
      yes: values.yes,
      adopt: values.adopt,
    };
  } catch (error) {
    return { ok: false, message: error.message.replace(/ To specify a positional.*$/s, "") };
  }
}

function commandOf(values) {
  if (values.help) return "help";
  return values["dry-run"] ? "dry-run" : "deploy";
}

const nameRule = (name) =>
  `${JSON.stringify(name)} is no name for an instance: up to 40 small letters, digits and hyphens, beginning with a letter.`;
