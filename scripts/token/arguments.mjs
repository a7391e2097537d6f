import {
  optionLines,
  REMOTE_OPTION,
  readCommandLine,
  TARGET_HELP,
  TARGET_OPTIONS,
  usage,
} from "../client/command-line.mjs";

export const HELP = `The API tokens of an instance. Only hashes are kept: a token is shown once, when it is made.

  npm run token -- list                                            names, roles, when they expire and were last used
  npm run token -- create NAME --role read [--expires 2027-01-31]  makes one and prints it
  npm run token -- revoke NAME                                     in force at once

Options
${optionLines({
  "--role ROLE": "read, operate or admin; each includes the ones before it",
  "--expires DATE": "a day, to its end in UTC, or a time in ISO 8601 with its zone; else it does not expire",
  "--remote": "the instance is not on this machine",
  ...TARGET_HELP,
  "--help": "this text",
})}

Making and revoking tokens needs the role admin: API_TOKEN has it.`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  ...REMOTE_OPTION,
  role: { type: "string" },
  expires: { type: "string" },
};
const ROLES = ["read", "operate", "admin"];
const NAMES = new Map([
  ["list", 0],
  ["create", 1],
  ["revoke", 1],
]);

/** What was asked for, or `"help"`. Throws a Problem with what is right. */
export function readTokenArguments(argv) {
  const { values, positionals } = readCommandLine(argv, OPTIONS, "token");
  if (values.help) return "help";
  const [command, ...names] = positionals;
  const wanted = NAMES.get(command);
  if (wanted === undefined) throw wrong("Say what to do: list, create or revoke.");
  if (names.length !== wanted)
    throw wrong(wanted === 1 ? `Say the token's NAME: one, behind ${command}.` : "list takes no name.");
  const { remote, url, token } = values;
  return {
    command,
    name: names[0],
    ...(command === "create" ? orderOf(values) : {}),
    options: { remote, url, token },
  };
}

function orderOf({ role, expires }) {
  if (!ROLES.includes(role)) throw wrong(`Say what it may do: --role ${ROLES.join(", --role ")}.`);
  return { role, expiresAt: expires === undefined ? undefined : timeOf(expires) };
}

function timeOf(expires) {
  const text = /^\d{4}-\d{2}-\d{2}$/.test(expires) ? `${expires}T23:59:59.999Z` : expires;
  const time = /T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw wrong(`${expires} is no day like 2027-01-31 and no time with its zone.`);
  return new Date(time).toISOString();
}

const wrong = (message) => usage(message, "token");
