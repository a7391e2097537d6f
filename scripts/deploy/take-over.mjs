/** Whose is what was found under the instance's names? A name alone says little: another project may use it. */
import { Problem } from "../instance/problem.mjs";
import { WranglerError } from "./wrangler-command.mjs";

export const labelOf = ({ resource, name }) => `${resource.kind} ${name}`;

/** Whether this machine made it, or was told that it is the instance's. */
export const isOurs = (deployment, entry) => (deployment.notes().ours ?? []).includes(labelOf(entry));

export function markOurs(deployment, entries) {
  const ours = [...(deployment.notes().ours ?? []), ...entries.map(labelOf)];
  deployment.note({ ours: [...new Set(ours)] });
}

export function unmarkOurs(deployment, entry) {
  const ours = deployment.notes().ours ?? [];
  deployment.note({ ours: ours.filter((label) => label !== labelOf(entry)) });
}

/**
 * Makes sure that all that was found may be used: what is not known here must be bound to the instance's Worker, or somebody
 * must want it. Throws a {@link Problem} that lists it.
 * @param found `{resource, name, thing}`, thing as the account describes it
 */
export async function takeOver(context, found) {
  const { deployment } = context;
  const unknown = found.filter((entry) => !isOurs(deployment, entry));
  if (unknown.length === 0) return;
  const list = unknown.map((entry) => `    ${labelOf(entry)}`).join("\n");
  if (!context.configChosen) throw new Problem(whichTeam(list));
  if (!(await areBound(context, unknown))) await mayTake(context, list);
  markOurs(deployment, unknown);
}

/** The Worker is uploaded last, so one that holds all the ids was deployed by this command: in CI, or from another machine. */
async function areBound(context, entries) {
  const bindings = await bindingsOfWorker(context);
  const bound = (value) => bindings.some((binding) => Object.values(binding).includes(value));
  const own = bindings.some(
    ({ type, class_name }) => /durable_object/.test(type) && class_name === "AgentObject",
  );
  return own && entries.every(({ resource, thing }) => resource.boundAs?.(thing).every(bound) ?? true);
}

async function bindingsOfWorker({ wrangler, deployment }) {
  const named = ["--name", deployment.names.worker, "--json"];
  try {
    const { versions } = (await wrangler.run(["deployments", "status", ...named])).json();
    const viewed = await wrangler.run(["versions", "view", versions[0].version_id, ...named]);
    return viewed.json().resources?.bindings ?? [];
  } catch (error) {
    if (error instanceof WranglerError && NONE_DEPLOYED.test(error.text)) return [];
    throw error;
  }
}

const NO_WORKER = /code: (10007|10090)\b/;
const NONE_DEPLOYED = /code: (10007|10090)\b|has no deployments/;

/** A function that finds the Worker by its name, deployed or not. */
export async function lookForWorker({ wrangler, deployment }) {
  const { worker } = deployment.names;
  try {
    await wrangler.run(["deployments", "status", "--name", worker, "--json"]);
  } catch (error) {
    if (error instanceof WranglerError && NO_WORKER.test(error.text)) return () => undefined;
    if (!(error instanceof WranglerError && NONE_DEPLOYED.test(error.text))) throw error;
  }
  return (name) => (name === worker ? { name } : undefined);
}

async function mayTake({ ask, yes, adopt, deployment }, list) {
  if (adopt) return;
  const there = `The account ${deployment.notes().accountId} has what this machine did not make:\n${list}`;
  if (ask === null || yes) throw new Problem(`${there}\n${ADVICE}`);
  const answer = await ask(`${there}\n    Is it this instance's, and may it be written over? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem(`You did not want it taken over.\n${ADVICE}`);
}

const ADVICE =
  "  If it belongs to something else, take another --name. If it is this instance's, add --adopt: it is then used and written over.";

const whichTeam = (list) =>
  `This instance may have a team already, for the account has:\n${list}\n  Say which team is meant with --config FILE; the ` +
  "demo team is only put where there is nothing.";
