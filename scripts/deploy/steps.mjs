/** Runs the steps of a deployment one after the other, and says what each does and that it is done. */
import { Problem } from "../instance/problem.mjs";
import { WranglerError } from "./wrangler-command.mjs";

/**
 * @param steps `{title, run(context)}` in order; `run` answers a line on what came of it
 * @param context `log`, `mask`, `again` (the command that goes on after a failure), `changesNothing`, and what the steps need
 * @returns nothing; throws a {@link Problem} that names the failed step
 */
export async function runSteps(steps, context) {
  for (const [index, step] of steps.entries()) {
    const place = `${index + 1}/${steps.length} ${step.title}`;
    context.log(`${place} ...`);
    try {
      context.log(`    ${context.mask(await step.run(context))}`);
    } catch (error) {
      throw problemOf(error, { ...context, place, first: index === 0 });
    }
  }
}

function problemOf(error, { place, again, mask, first, changesNothing }) {
  if (!(error instanceof Problem || error instanceof WranglerError)) return masked(error, mask);
  const kept =
    first || changesNothing
      ? "Nothing was changed."
      : "What the steps before it did stays and is found again.";
  return new Problem(
    `${place} failed:\n  ${mask(error.message)}\n${kept} When it is put right, go on with:\n  ${again}`,
  );
}

/** A mistake is shown with its stack, which begins with its message: that may quote anything. */
function masked(error, mask) {
  const shown = new Error(mask(String(error?.message ?? error)));
  shown.stack = mask(String(error?.stack ?? error));
  return shown;
}
