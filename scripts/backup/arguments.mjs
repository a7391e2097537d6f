import {
  optionLines,
  REMOTE_OPTION,
  readCommandLine,
  STARTED_TARGET_HELP,
  TARGET_OPTIONS,
  usage,
} from "../client/command-line.mjs";

const SHARED = {
  "--remote": "the instance is not on this machine",
  ...STARTED_TARGET_HELP,
  "--help": "this text",
};

export const BACKUP_HELP = `Writes the database of an instance into a file: every table but the search index, and the config.

  npm run backup -- FILE                                          of the instance on this machine
  npm run backup -- FILE --remote --url https://parley.example    of a deployed one

FILE is compressed JSON lines. Not in it: conversations and journals of the agents' objects, files, long texts and
the archive in R2, secrets. docs/backup.md says what to do about these. The token must be of the role admin.

Options
${optionLines(SHARED)}`;

export const RESTORE_HELP = `Writes the database of an instance from a file of npm run backup, and compares every row.

  npm run restore -- FILE                                         into the instance on this machine
  npm run restore -- FILE --remote --url https://parley.example   into a deployed one

The database must be empty. The token must be of the role admin.

Options
${optionLines({
  ...SHARED,
  "--with-config": "loads the config of the backup too, before the rows",
  "--force": "empties the database first",
})}`;

const OPTIONS = { ...TARGET_OPTIONS, ...REMOTE_OPTION };
const RESTORE_OPTIONS = {
  ...OPTIONS,
  force: { type: "boolean", default: false },
  "with-config": { type: "boolean", default: false },
};

/** What was asked for, or `"help"`. Throws a Problem with what is right. */
export const readBackupArguments = (argv) => read(argv, OPTIONS, "backup");
export const readRestoreArguments = (argv) => read(argv, RESTORE_OPTIONS, "restore");

function read(argv, options, command) {
  const { values, positionals } = readCommandLine(argv, options, command);
  if (values.help) return "help";
  const [file, ...rest] = positionals;
  if (file === undefined || file === "" || rest.length > 0) throw usage("Name the one file.", command);
  const { remote, url, token, force = false, "with-config": withConfig = false } = values;
  return { file, force, withConfig, options: { remote, url, token } };
}
