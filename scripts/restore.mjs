// `npm run restore -- FILE`: a file of `npm run backup` into the instance's database.
import { RESTORE_HELP, readRestoreArguments } from "./backup/arguments.mjs";
import { runOnInstance } from "./backup/run.mjs";
import { runMain } from "./instance/problem.mjs";

const RESTORE = {
  read: readRestoreArguments,
  help: RESTORE_HELP,
  prepare: async ({ file }) => (await import("./backup/restore.mjs")).checkFile(file),
};

runMain(() =>
  runOnInstance(RESTORE, async (target, asked) => {
    const { restore } = await import("./backup/restore.mjs");
    return restore(target, asked);
  }),
);
