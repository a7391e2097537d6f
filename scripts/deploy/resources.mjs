/** What an instance needs in the account, found by name or made: D1, KV, two R2 buckets, a Pages project. */
import { Problem } from "../instance/problem.mjs";
import { fillViewerFolder } from "./viewer-folder.mjs";
import { WranglerError } from "./wrangler-command.mjs";

/** The branch of the Pages project that its address shows. */
export const BRANCH = "main";

/**
 * Each looks first and looks again after it made something: that, and not what was printed, is the truth. `look` answers
 * a function that finds one by its name.
 */
const kinds = [
  {
    kind: "D1 database",
    names: ({ database }) => [database],
    look: lookIn(["d1", "list", "--json"], "name"),
    make: (name) => ["d1", "create", name],
    note: ({ uuid }) => ({ databaseId: uuid }),
  },
  {
    kind: "KV namespace",
    names: ({ namespace }) => [namespace],
    look: lookIn(["kv", "namespace", "list"], "title"),
    make: (name) => ["kv", "namespace", "create", name],
    note: ({ id }) => ({ namespaceId: id }),
  },
  {
    kind: "R2 bucket",
    names: ({ files, texts }) => [files, texts],
    look: lookForBuckets,
    make: (name) => ["r2", "bucket", "create", name],
    exists: /code: 10004\b/,
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

function lookIn(command, key) {
  return async ({ wrangler }) => {
    const listed = (await wrangler.run(command)).json();
    return (name) => listed.find((one) => one[key] === name);
  };
}

/** Finds or makes all of it; the ids are noted as they become known. */
export async function provideResources(context) {
  fillViewerFolder(context.deployment);
  const missing = await lookAtAll(context);
  if (missing.length === 0) return "all there";
  await confirm(context, missing);
  for (const { resource, name } of missing) await make(context, resource, name);
  return `made ${missing.map(({ resource, name }) => `${resource.kind} ${name}`).join(", ")}`;
}

async function lookAtAll(context) {
  const missing = [];
  for (const resource of kinds) {
    const find = await resource.look(context);
    for (const name of resource.names(context.deployment.names)) {
      const found = find(name);
      if (found === undefined) missing.push({ resource, name });
      else context.deployment.note(resource.note(found));
    }
  }
  return missing;
}

async function confirm({ ask, yes, deployment }, missing) {
  if (yes) return;
  const list = missing.map(({ resource, name }) => `    ${resource.kind} ${name}`).join("\n");
  const question = `The account ${deployment.notes().accountId} lacks:\n${list}\n    Create them? [y/N] `;
  if (ask === null)
    throw new Problem(`${question.split("\n    Create")[0]}\n  Add --yes to have them created.`);
  if (!/^y(es)?$/i.test((await ask(question)).trim())) throw new Problem("You did not want them created.");
}

/** Made by a run that was cut off, or by another one at this moment, is as good as made by us. */
async function make(context, resource, name) {
  // In the viewer's folder, because wrangler makes a Worker of a Pages project whose folder has no functions.
  const options = resource.kind === "Pages project" ? { cwd: context.deployment.viewerFolder } : {};
  const failed = await context.wrangler.run(resource.make(name), options).then(
    () => null,
    (error) => error,
  );
  // The list of buckets holds only the first of them, so that one may be there and not be found.
  if (failed instanceof WranglerError && resource.exists?.test(failed.text)) return;
  const made = (await resource.look(context))(name);
  if (made === undefined)
    throw failed ?? new Problem(`The ${resource.kind} ${name} was made and is not to be found.`);
  context.deployment.note(resource.note(made));
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
