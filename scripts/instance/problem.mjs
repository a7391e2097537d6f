/** An expected failure, told to the user as its message alone: what happened and what to do next. */
export class Problem extends Error {
  name = "Problem";
  exitCode = 1;
}

/** A command line that asks for what there is not. */
export class UsageProblem extends Problem {
  name = "UsageProblem";
  exitCode = 2;
}

/** Progress and warnings go to stderr; stdout holds only the lines that programs read. */
export const logToStderr = (line) => process.stderr.write(`${line}\n`);

/** Runs a script's main function; a {@link Problem} ends it with its message, anything else with its stack. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    logToStderr(error instanceof Problem ? `\nerror: ${error.message}` : String(error?.stack ?? error));
    process.exit(error instanceof Problem ? error.exitCode : 1);
  }
}
