import { reachInstance } from "../client/reach.mjs";
import { ensureInstalled } from "../instance/bootstrap.mjs";
import { logToStderr } from "../instance/problem.mjs";

/**
 * Reads the arguments, reaches the instance, prints what `work` tells.
 * @param command `read(argv)`, `help`, and `prepare(asked)` for what can be found out without an instance: its answer
 *   is the `content` that `work` gets
 */
export async function runOnInstance({ read, help, prepare }, work) {
  const asked = read(process.argv.slice(2));
  if (asked === "help") {
    process.stdout.write(`${help}\n`);
    return;
  }
  await ensureInstalled(logToStderr);
  const content = await prepare?.(asked);
  const { target, end } = await reachInstance(asked.options);
  try {
    for (const line of await work(target, { ...asked, content })) process.stdout.write(`${line}\n`);
  } finally {
    await end();
  }
}
