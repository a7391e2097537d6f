/** What an instance needs in the account, found by name or made: D1, KV, two R2 buckets, a Pages project. */
import { Problem } from "../instance/problem.mjs";
import { isOurs, labelOf, lookForWorker, markOurs, takeOver, unmarkOurs } from "./take-over.mjs";
import { fillViewerFolder } from "./viewer-folder.mjs";
import { WranglerError } from "./wrangler-command.mjs";

/** The branch of the Pages project that its address shows. */
export const BRANCH = "main";

/**
 * Each looks first and looks again after it made something: that, and not what was printed, is the truth. `look` answers
 * a function that finds one by its name; `boundAs` what a Worker's bindings name it by.
 */
const kinds = [
  {
    kind: "D1 database",
    names: ({ database }) => [database],
    look: lookIn(["d1", "list", "--json"], "name"),
    make: (name) => ["d1", "create", name],
    boundAs: ({ uuid }) => [uuid],
    note: ({ uuid }) => ({ databaseId: uuid }),
  },
  {
    kind: "KV namespace",
    names: ({ namespace }) => [namespace],
    look: lookIn(["kv", "namespace", "list"], "title"),
    make: (name) => ["kv", "namespace", "create", name],
    boundAs: ({ id }) => [id],
    note: ({ id }) => ({ namespaceId: id }),
  },
  {
    kind: "R2 bucket",
    names: ({ files, texts }) => [files, texts],
    look: lookForBuckets,
    make: (name) => ["r2", "bucket", "create", name],
    exists: /code: 10004\b/,
    boundAs: ({ name }) => [name],
    note: () => ({}),
  },
  {
    kind: "Pages project",
    names: ({ viewer }) => [viewer],
    look: lookIn(["pages", "project", "list", "--json"], "Project Name"),
    make: (name) => ["pages", "project", "create", name, "--production-branch", BRANCH],
    note: (project) => ({ viewerUrl: `https://${project["Project Domains"].split(", ")[0]}` }),
  },
];

/** Made by its upload, not here. */
const WORKER = {
  kind: "Worker",
  names: ({ worker }) => [worker],
  look: (context) =>
    isOurs(context.deployment, workerOf(context)) ? () => undefined : lookForWorker(context),
  note: () => ({}),
};
const workerOf = ({ deployment }) => ({ resource: WORKER, name: deployment.names.worker });

function lookIn(command, key) {
  return async ({ wrangler }) => {
    const listed = (await wrangler.run(command)).json();
    return (name) => listed.find((one) => one[key] === name);
  };
}

/** Finds or makes all of it, once it is clear that what was found may be used; the ids are noted as they become known. */
export async function provideResources(context) {
  fillViewerFolder(context.deployment);
  const { found, missing } = await lookAtAll(context);
  await takeOver(context, found);
  for (const { resource, thing } of found) context.deployment.note(resource.note(thing));
  if (missing.length > 0) await confirm(context, missing);
  markOurs(context.deployment, [workerOf(context)]);
  for (const entry of missing) await make(context, entry);
  return missing.length === 0 ? "all there" : `made ${missing.map(labelOf).join(", ")}`;
}

async function lookAtAll(context) {
  const entries = [];
  for (const resource of [...kinds, WORKER]) {
    const find = await resource.look(context);
    for (const name of resource.names(context.deployment.names))
      entries.push({ resource, name, thing: find(name) });
  }
  return {
    found: entries.filter(({ thing }) => thing !== undefined),
    missing: entries.filter(({ thing, resource }) => thing === undefined && resource !== WORKER),
  };
}

async function confirm({ ask, yes, deployment }, missing) {
  if (yes) return;
  const list = missing.map((entry) => `    ${labelOf(entry)}`).join("\n");
  const question = `The account ${deployment.notes().accountId} lacks:\n${list}\n    Create them? [y/N] `;
  if (ask === null)
    throw new Problem(`${question.split("\n    Create")[0]}\n  Add --yes to have them created.`);
  if (!/^y(es)?$/i.test((await ask(question)).trim())) throw new Problem("You did not want them created.");
}

/**
 * Made by a run that was cut off, or by another one at this moment, is as good as made by us. It is marked before it is made: the
 * look before has shown that it is nobody else's, and an answer may get lost.
 */
async function make(context, entry) {
  const { resource, name } = entry;
  const { deployment, wrangler } = context;
  const known = isOurs(deployment, entry);
  markOurs(deployment, [entry]);
  // In the viewer's folder, because wrangler makes a Worker of a Pages project whose folder has no functions.
  const options = resource.kind === "Pages project" ? { cwd: deployment.viewerFolder } : {};
  const failed = await wrangler.run(resource.make(name), options).then(
    () => null,
    (error) => error,
  );
  if (failed instanceof WranglerError && resource.exists?.test(failed.text))
    return known ? undefined : foundLate(context, entry);
  const made = (await resource.look(context))(name);
  if (made === undefined)
    throw failed ?? new Problem(`The ${labelOf(entry)} was made and is not to be found.`);
  deployment.note(resource.note(made));
}

/** The list of buckets holds only the first of them, so that one may be there and not be found. */
async function foundLate(context, entry) {
  unmarkOurs(context.deployment, entry);
  await takeOver(context, [{ ...entry, thing: { name: entry.name } }]);
}

async function lookForBuckets({ wrangler }) {
  try {
    const { text } = await wrangler.run(["r2", "bucket", "list"]);
    const listed = [...text.matchAll(/^name:\s+(\S+)$/gm)].map(([, name]) => ({ name }));
    return (name) => listed.find((one) => one.name === name);
  } catch (error) {
    throw error instanceof WranglerError && /code: 10042\b/.test(error.text) ? new Problem(R2_OFF) : error;
  }
}

const R2_OFF =
  "R2 is not enabled in this account. Open R2 in the dashboard (Storage and databases) and add it once; it asks for a " +
  "payment method, the first 10 GB are free.";
