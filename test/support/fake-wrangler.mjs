// A stand-in for the wrangler command against a Cloudflare account that is a JSON file, its first argument: it takes and answers
// what wrangler 4.156 does, as far as a deployment goes. The account's `faults` say which commands go wrong, and how:
// `refuse` before the effect, `lose` after it, `hang` after it and never end, `leak` show what it was given.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Of the command under way: it runs from its beginning to its end at once. */
let file, argv, account, positional, world, output;

const option = (name) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
const config = () => JSON.parse(readFileSync(option("--config"), "utf8"));
const print = (text) => {
  output.stdout += `${text}\n`;
};

class Ended extends Error {}
class ApiError extends Error {}

const commands = {
  whoami: () => {
    if (!account.signedIn) fail('\n{"loggedIn":false}', "stdout");
    print(
      JSON.stringify({
        loggedIn: true,
        authType: "OAuth Token",
        email: "person@example.org",
        accounts: account.accounts,
      }),
    );
  },
  "d1 list": () => print(JSON.stringify(account.databases)),
  "d1 create": ([name]) => {
    if (account.databases.some((one) => one.name === name))
      throw new ApiError("A database with that name already exists");
    account.databases.push({ uuid: `d1-of-${name}`, name, version: "production" });
    print(`✅ Successfully created DB '${name}' in region WEUR`);
  },
  "kv namespace list": () => print(JSON.stringify(account.namespaces, null, "  ")),
  "kv namespace create": ([title]) => {
    if (account.namespaces.some((one) => one.title === title))
      throw new ApiError(`A KV namespace with the title "${title}" already exists.`);
    account.namespaces.push({ id: `kv-of-${title}`, title, supports_url_encoding: true });
    print(`🌀 Creating namespace with title "${title}"\n✨ Success!`);
  },
  "r2 bucket list": () => {
    if (!account.r2) throw new ApiError("Please enable R2 through the Cloudflare Dashboard. [code: 10042]");
    const rows = account.buckets
      .slice(0, 20)
      .map((name) => `name:           ${name}\ncreation_date:  2026-11-30T00:00:00.000Z`);
    print(`Listing buckets...\n${rows.join("\n\n")}`);
  },
  "r2 bucket create": ([name]) => {
    if (account.buckets.includes(name))
      throw new ApiError("The bucket you tried to create already exists, and you own it. [code: 10004]");
    account.buckets.push(name);
    print(
      `Creating bucket '${name}'...\n✅ Created bucket '${name}' with default storage class of Standard.`,
    );
  },
  "pages project list": () =>
    print(
      JSON.stringify(
        account.projects.map((name) => ({
          "Project Name": name,
          "Project Domains": account.viewerDomain,
          "Git Provider": "No",
          "Last Modified": "1 minute ago",
        })),
      ),
    ),
  "pages project create": ([name]) => {
    account.projects.push(name);
    print(
      `✨ Successfully created the '${name}' project. It will be available at https://${name}.pages.dev/`,
    );
  },
  "d1 migrations apply": () => {
    if (argv.includes("--local")) return;
    const [database] = config().d1_databases;
    if (!account.databases.some(({ uuid }) => uuid === database.database_id))
      throw new ApiError("No such database [code: 7404]");
    print(
      account.migrated
        ? "✅ No migrations to apply!"
        : "🌀 Executing on remote database DB\n│ 0000_first.sql │ ✅ │",
    );
    account.migrated = true;
  },
  "secret list": () => {
    const worker = account.workers[config().name];
    if (worker === undefined)
      throw new ApiError(
        `Worker "${config().name}" not found.\n\nIf this is a new Worker, run \`wrangler deploy\` first to create it.`,
      );
    print(
      JSON.stringify(
        Object.keys(worker.secrets).map((name) => ({ name, type: "secret_text" })),
        null,
        "  ",
      ),
    );
  },
  "deployments status": () => {
    const worker = account.workers[option("--name")];
    if (worker === undefined) throw new ApiError("This Worker does not exist on your account. [code: 10007]");
    print(JSON.stringify({ id: "d1", versions: [{ version_id: worker.version, percentage: 100 }] }, null, 2));
  },
  "versions view": ([id]) => {
    const { config, version } = account.workers[option("--name")];
    if (version !== id) throw new ApiError("Version not found [code: 10008]");
    print(JSON.stringify({ id, resources: { bindings: bindingsOf(config) } }, null, 2));
  },
  "check startup": () => print(`Active: ${account.bundle.startupMs} ms`),
  "pages functions build": () => print("✨ Compiled Worker successfully"),
  deploy: () => {
    if (argv.includes("--dry-run")) return bundle();
    const given = option("--secrets-file");
    const secrets = given === undefined ? {} : JSON.parse(readFileSync(given, "utf8"));
    const before = account.workers[config().name]?.secrets ?? {};
    const version = `version-${account.versions + 1}`;
    account.versions += 1;
    account.workers[config().name] = { secrets: { ...before, ...secrets }, version, config: config() };
    print(
      `Total Upload: 5100.00 KiB / gzip: 1200.00 KiB\nUploaded ${config().name}\nCurrent Version ID: ${version}`,
    );
    tell({
      type: "deploy",
      version: 1,
      worker_name: config().name,
      version_id: version,
      targets: account.targets,
    });
  },
  "pages deploy": () => {
    const folder = JSON.parse(readFileSync(join(world.cwd, "wrangler.json"), "utf8"));
    account.viewer = { project: option("--project-name"), service: folder.services[0].service };
    print("✨ Deployment complete! Take a peek over at https://abc.example.pages.dev");
    tell({
      type: "pages-deploy-detailed",
      version: 1,
      environment: account.pagesEnvironment,
      production_branch: "other",
    });
  },
};

function bindingsOf({
  d1_databases = [],
  kv_namespaces = [],
  r2_buckets = [],
  durable_objects = { bindings: [] },
}) {
  return [
    ...d1_databases.map(({ binding, database_id: id }) => ({ type: "d1", name: binding, id })),
    ...kv_namespaces.map(({ binding, id }) => ({ type: "kv_namespace", name: binding, namespace_id: id })),
    ...r2_buckets.map(({ binding, bucket_name }) => ({ type: "r2_bucket", name: binding, bucket_name })),
    ...durable_objects.bindings.map((one) => ({ type: "durable_object_namespace", ...one })),
  ];
}

/** The whole Worker goes into one file, the one without drivers into a folder. */
function bundle() {
  const { kib, leanKib, imports } = account.bundle;
  const inputs = Object.entries(imports).map(([importer, original]) => [
    importer,
    { imports: [{ original, path: "workers/left-out/locales.ts" }] },
  ]);
  const metafile = option("--metafile");
  if (metafile !== undefined) writeFileSync(metafile, JSON.stringify({ inputs: Object.fromEntries(inputs) }));
  print(`Total Upload: 5100.00 KiB / gzip: ${argv.includes("--outfile") ? kib : leanKib} KiB`);
}

/**
 * Runs one command in this process, as far as it does not hang.
 * @param asked the account's file, then the command's arguments
 * @param options `{cwd, env}`
 * @returns `{stdout, stderr, code, hangs}`
 */
export function runFakeWrangler(asked, options) {
  [file, ...argv] = asked;
  account = JSON.parse(readFileSync(file, "utf8"));
  positional = argv.filter((arg, index) => !arg.startsWith("-") && !argv[index - 1]?.startsWith("--"));
  world = options;
  output = { stdout: "", stderr: "" };
  account.calls.push(argv.join(" "));
  save();
  try {
    const hangs = run();
    return { ...output, code: 0, hangs };
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    return { ...output, code: 1, hangs: false };
  }
}

function run() {
  const name = ["3", "2", "1"]
    .map((words) => positional.slice(0, Number(words)).join(" "))
    .find((one) => one in commands);
  if (name === undefined) fail(`Unknown command: ${argv.join(" ")}`);
  const fault = account.faults[name];
  if (name !== "whoami" && !account.signedIn)
    fail(
      "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable",
    );
  if (name !== "whoami" && account.accounts.length > 1 && !world.env.CLOUDFLARE_ACCOUNT_ID)
    fail("More than one account available but unable to select one in non-interactive mode.");
  if (fault === "refuse") fail(`A request to the Cloudflare API failed.\n\n  Internal error [code: 10013]`);
  if (fault === "leak")
    fail(
      `Invalid request: ${JSON.stringify(option("--secrets-file") ? readFileSync(option("--secrets-file"), "utf8") : "")}`,
    );
  try {
    commands[name](positional.slice(name.split(" ").length));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    fail(`A request to the Cloudflare API failed.\n\n  ${error.message}`);
  }
  save();
  if (fault === "lose") fail("fetch failed: read ECONNRESET");
  return fault === "hang";
}

function tell(entry) {
  appendFileSync(world.env.WRANGLER_OUTPUT_FILE_PATH, `${JSON.stringify(entry)}\n`);
}

function save() {
  writeFileSync(`${file}.new`, JSON.stringify(account));
  renameSync(`${file}.new`, file);
}

function fail(message, stream = "stderr") {
  output[stream] += stream === "stdout" ? `${message}\n` : `✘ [ERROR] ${message}\n`;
  throw new Ended(message);
}

if (import.meta.main) {
  const ended = runFakeWrangler(process.argv.slice(2), { cwd: process.cwd(), env: process.env });
  process.stdout.write(ended.stdout);
  process.stderr.write(ended.stderr);
  process.exitCode = ended.code;
  if (ended.hangs) setInterval(() => {}, 60_000);
}
