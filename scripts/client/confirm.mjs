/** Asking before something is written. */
import { createInterface } from "node:readline/promises";

/**
 * Whether to go on: without a terminal nobody can be asked, and scripts go on as they always did.
 * @param {boolean} yes what `--yes` says
 */
export async function isConfirmed(question, yes) {
  if (yes || process.stdin.isTTY !== true || process.stdout.isTTY !== true) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
