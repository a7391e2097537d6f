import { reachInstance } from "../client/reach.mjs";
import { ensureInstalled } from "../instance/bootstrap.mjs";
import { logToStderr } from "../instance/problem.mjs";

/** Reads the arguments, reaches the instance, prints what `work` tells. */
export async function runOnInstance({ read, help }, work) {
  const asked = read(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${help}\n`);
    return;
  }
  await ensureInstalled(logToStderr);
  const { target, end } = await reachInstance(asked.options);
  try {
    for (const line of await work(target, asked)) process.stdout.write(`${line}\n`);
  } finally {
    await end();
  }
}
