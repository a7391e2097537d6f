// `npm run restore -- FILE`: a file of `npm run backup` into the instance's database.
import { RESTORE_HELP, readRestoreArguments } from "./backup/arguments.mjs";
import { runOnInstance } from "./backup/run.mjs";
import { runMain } from "./instance/problem.mjs";

runMain(() =>
  runOnInstance({ read: readRestoreArguments, help: RESTORE_HELP }, async (target, asked) => {
    const { restore } = await import("./backup/restore.mjs");
    return restore(target, asked);
  }),
);
