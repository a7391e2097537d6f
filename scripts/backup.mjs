// `npm run backup -- FILE`: the instance's database into a file.
import { BACKUP_HELP, readBackupArguments } from "./backup/arguments.mjs";
import { runOnInstance } from "./backup/run.mjs";
import { runMain } from "./instance/problem.mjs";

runMain(() =>
  runOnInstance({ read: readBackupArguments, help: BACKUP_HELP }, async (target, { file }) => {
    const { backUp } = await import("./backup/back-up.mjs");
    return backUp(target, file);
  }),
);
