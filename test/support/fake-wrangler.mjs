// A stand-in for the wrangler command against a Cloudflare account that is a JSON file, its first argument: it takes and answers
// what wrangler 4.156 does, as far as a deployment goes. The account's `faults` say which commands go wrong, and how:
// `refuse` before the effect, `lose` after it, `hang` after it and never end, `leak` show what it was given.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [file, ...argv] = process.argv.slice(2);
const account = JSON.parse(readFileSync(file, "utf8"));
const positional = argv.filter((arg, index) => !arg.startsWith("-") && !argv[index - 1]?.startsWith("--"));
const option = (name) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
const config = () => JSON.parse(readFileSync(option("--config"), "utf8"));
const print = (text) => process.stdout.write(`${text}\n`);

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
  deploy: () => {
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
    const folder = JSON.parse(readFileSync(join(process.cwd(), "wrangler.json"), "utf8"));
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

const name = ["3", "2", "1"]
  .map((words) => positional.slice(0, Number(words)).join(" "))
  .find((one) => one in commands);
account.calls.push(argv.join(" "));
save();
run(positional.slice(name?.split(" ").length));

function run(args) {
  if (name === undefined) fail(`Unknown command: ${argv.join(" ")}`);
  const fault = account.faults[name];
  if (name !== "whoami" && !account.signedIn)
    fail(
      "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable",
    );
  if (name !== "whoami" && account.accounts.length > 1 && !process.env.CLOUDFLARE_ACCOUNT_ID)
    fail("More than one account available but unable to select one in non-interactive mode.");
  if (fault === "refuse") fail(`A request to the Cloudflare API failed.\n\n  Internal error [code: 10013]`);
  if (fault === "leak")
    fail(
      `Invalid request: ${JSON.stringify(option("--secrets-file") ? readFileSync(option("--secrets-file"), "utf8") : "")}`,
    );
  try {
    commands[name](args);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    fail(`A request to the Cloudflare API failed.\n\n  ${error.message}`);
  }
  save();
  if (fault === "lose") fail("fetch failed: read ECONNRESET");
  if (fault === "hang") setInterval(() => {}, 60_000);
}

function tell(entry) {
  appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, `${JSON.stringify(entry)}\n`);
}

function save() {
  writeFileSync(`${file}.new`, JSON.stringify(account));
  renameSync(`${file}.new`, file);
}

function fail(message, stream = "stderr") {
  process[stream].write(stream === "stdout" ? `${message}\n` : `✘ [ERROR] ${message}\n`);
  process.exit(1);
}
