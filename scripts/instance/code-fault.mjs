import { Problem } from "./problem.mjs";

/** Code that cannot be bundled, or that throws while it is loaded. wrangler serves all the same, and answers nothing. */
const BEGINNING = /\[ERROR\] (Build failed|service core:user:)/;
/** An error's lines come in one breath. */
const BREATH_MS = 200;
const MAX_LINES = 20;

/**
 * Looks for wrangler's error about the code that it serves.
 * @param name of the server
 * @returns `see(line)`, for each of its lines; `found`, a promise of the Problem, open for as long as there is
 *   none; `soFar()`, the Problem or null
 */
export function lookForCodeFault(name) {
  const lines = [];
  let settle;
  const found = new Promise((resolve) => {
    settle = resolve;
  });
  const soFar = () => (lines.length === 0 ? null : codeFault(name, lines));
  const see = (line) => {
    if (lines.length === 0 && !BEGINNING.test(line)) return;
    if (lines.length === 0) setTimeout(() => settle(soFar()), BREATH_MS);
    if (lines.length < MAX_LINES) lines.push(line);
  };
  return { see, found, soFar };
}

const codeFault = (name, lines) =>
  new Problem(
    `The ${name}'s code cannot be started:\n${lines.map((line) => `  ${line}`).join("\n")}\n` +
      "Mend the code first: starting again as it is comes to the same.",
  );
