import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Account, type CloudflareAccount, openAccount } from "../../support/cloudflare-account.ts";

let account: CloudflareAccount;
afterEach(() => account?.remove());

const created = (state: Account) => state.calls.filter((call) => / create /.test(call));
/** What there is in the account, without how it came to be. */
const things = ({ databases, namespaces, buckets, projects, viewer, migrated }: Account) => ({
  databases: databases.map(({ name }) => name),
  namespaces: namespaces.map(({ title }) => title),
  buckets,
  projects,
  viewer,
  migrated,
});
const WHOLE = {
  databases: ["parley"],
  namespaces: ["parley-config"],
  buckets: ["parley-files", "parley-texts"],
  projects: ["parley-ui"],
  viewer: { project: "parley-ui", service: "parley" },
  migrated: true,
};

describe("a deployment", () => {
  it("makes an instance in an empty account, and says of each step that it is done", async () => {
    account = openAccount();
    const { failed, shown } = await account.deploy({ asProcess: true });
    expect(failed).toBeNull();
    expect(things(account.state())).toEqual(WHOLE);
    expect(account.state().workers.parley?.config).toMatchObject({
      name: "parley",
      account_id: "acc1",
      d1_databases: [{ binding: "DB", database_id: "d1-of-parley" }],
      kv_namespaces: [{ binding: "CONFIG", id: "kv-of-parley-config" }],
    });
    expect(account.pushed).toHaveLength(1);
    const titles = [...shown.matchAll(/^(\d+)\/10 .* \.\.\.\n(?: {4}\S.*\n)+/gm)].map(([, number]) =>
      Number(number),
    );
    expect(titles).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("finds everything the second time: nothing is made, no config sent, the token kept and not told of again", async () => {
    account = openAccount();
    const first = await account.deploy();
    const at = ["migrations", "config check", "Worker", "viewer"].map((title) =>
      first.shown.indexOf(` ${title} ...`),
    );
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(first.shown).toMatch(/made an API_TOKEN; it is in .*secrets/);
    const before = account.state();
    account.change({ calls: [] });
    const second = await account.deploy();
    expect(second.failed).toBeNull();
    expect(second.shown).not.toMatch(/made an API_TOKEN/);
    const after = account.state();
    expect(created(after)).toEqual([]);
    expect(things(after)).toEqual(WHOLE);
    expect(after.workers.parley?.secrets).toEqual(before.workers.parley?.secrets);
    expect(account.pushed).toHaveLength(1);
  });

  it("goes on where it was cut off, whichever command failed, before or after it had an effect", async () => {
    account = openAccount();
    const faults = [
      ["whoami", "refuse"],
      ["d1 list", "refuse"],
      ["d1 create", "refuse"],
      ["kv namespace create", "refuse"],
      ["r2 bucket create", "refuse"],
      ["pages project create", "refuse"],
      ["d1 migrations apply", "lose"],
      ["secret list", "refuse"],
      ["deploy", "lose"],
      ["pages deploy", "lose"],
    ] as const;
    for (const [command, fault] of faults) {
      account.change({ faults: { [command]: fault } });
      const { failed } = await account.deploy();
      expect(failed, command).toMatch(new RegExp(`^Problem: \\d+/10 .* failed:\\s+wrangler ${command}`));
      expect(failed).toContain("npm run deploy");
    }
    account.change({ faults: {} });
    expect((await account.deploy()).failed).toBeNull();
    expect(things(account.state())).toEqual(WHOLE);
    expect(account.pushed).toHaveLength(1);
  });

  it("takes what was made as made, when only the answer got lost", async () => {
    account = openAccount();
    const lost = ["d1 create", "kv namespace create", "r2 bucket create", "pages project create"];
    account.change({ faults: Object.fromEntries(lost.map((command) => [command, "lose" as const])) });
    expect((await account.deploy()).failed).toBeNull();
    expect(things(account.state())).toEqual(WHOLE);
  });

  it("ends a command that hangs", async () => {
    account = openAccount({ faults: { deploy: "hang" } });
    expect((await account.deploy({ asProcess: true, endSoon: "deploy" })).failed).toMatch(
      /6\/10 Worker failed:\s+wrangler deploy did not/,
    );
    expect(account.state().versions).toBe(1);
  });

  it("uses a bucket of its own that the list does not reach any more", async () => {
    account = openAccount();
    await account.deploy();
    const others = Array.from({ length: 25 }, (_, index) => `a${index}`);
    account.change({ buckets: [...others, ...account.state().buckets] });
    expect((await account.deploy()).failed).toBeNull();
    expect(account.state().buckets).toHaveLength(27);
  });

  it("keeps a second instance of the account apart, by its name", async () => {
    account = openAccount();
    await account.deploy();
    expect((await account.deploy({ name: "staging" })).failed).toBeNull();
    const state = account.state();
    expect(state.databases.map(({ name }) => name)).toEqual(["parley", "staging"]);
    expect(state.buckets).toEqual(["parley-files", "parley-texts", "staging-files", "staging-texts"]);
    expect(state.viewer).toEqual({ project: "staging-ui", service: "staging" });
    expect(state.workers.staging?.secrets.API_TOKEN).not.toBe(state.workers.parley?.secrets.API_TOKEN);
    expect(state.workers.staging?.config).toMatchObject({
      r2_buckets: [{ bucket_name: "staging-files" }, {}],
    });
  });

  it("sends the config again when the file is another one", async () => {
    account = openAccount();
    await account.deploy();
    const { failed } = await account.deploy({ configFile: "test/unit/deploy/team.json" });
    expect(failed).toMatch(/secrets failed/);
    account.change({
      workers: { ...account.state().workers, parley: withSecret(account.state(), "MODEL_KEY") },
    });
    expect((await account.deploy({ configFile: "test/unit/deploy/team.json" })).failed).toBeNull();
    expect(account.pushed).toHaveLength(2);
  });

  it("puts one's own keys above those of wrangler.toml, but never in the place of ids", async () => {
    account = openAccount();
    const own = '[[routes]]\npattern = "api.example.org"\ncustom_domain = true\n';
    expect((await account.deploy({ own })).failed).toBeNull();
    expect(account.state().workers.parley?.config).toMatchObject({
      routes: [{ pattern: "api.example.org" }],
    });
    const ours = 'name = "other"\n[triggers]\ncrons = []\n[version_metadata]\nbinding = "X"\n';
    expect((await account.deploy({ own: ours })).failed).toMatch(
      /own\.toml sets name, triggers, version_metadata/,
    );
  });

  it("wants the bindings that a team needs among one's own keys, before the Worker is touched", async () => {
    account = openAccount();
    writeSecrets('MAIL_KEY="mail-key-0123456789"');
    const team = { configFile: "test/unit/deploy/email-team.json" };
    const first = await account.deploy(team);
    expect(first.failed).toMatch(/config check failed[\s\S]*wrangler\.parley\.toml[\s\S]*name = "EMAIL"/);
    expect(account.state().versions).toBe(0);
    const own = '[[send_email]]\nname = "EMAIL"\n[ai]\nbinding = "AI"\n';
    expect((await account.deploy({ ...team, own })).failed).toBeNull();
    expect(account.state().workers.parley?.config).toMatchObject({ send_email: [{ name: "EMAIL" }] });
  });
});

const SERVICE = "service-token-0123456789";

function withSecret(state: Account, name: string) {
  const worker = state.workers.parley;
  if (worker === undefined) throw new Error("It was not deployed.");
  return { ...worker, secrets: { ...worker.secrets, [name]: "set-in-the-dashboard" } };
}

function writeSecrets(text: string) {
  mkdirSync(dirname(account.secretsFile()), { recursive: true });
  writeFileSync(account.secretsFile(), `${text}\n`);
}

it("L5 the file of secrets is gone when a deployment is ended by Ctrl-C", () => {
  const script = `
    import { withSecretsFile } from "./scripts/deploy/secrets.mjs";
    const wrangler = { run: async () => ({ json: () => [] }) };
    const environment = { API_TOKEN: "token-0123456789" };
    const deployment = { secretsFile: "none", workerConfig: "none" };
    await withSecretsFile({ wrangler, deployment, environment }, (file) => {
      process.stdout.write(file);
      setInterval(() => {}, 1_000);
      process.kill(process.pid, "SIGINT");
      return new Promise(() => {});
    });`;
  const args = ["--no-warnings", "--input-type=module", "--eval", script];
  const ended = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
  expect(ended.stdout).toContain("secrets.json");
  expect(existsSync(ended.stdout)).toBe(false);
});

describe("what a deployment shows", () => {
  const team = { configFile: "test/unit/deploy/team.json" };

  it("L5 is the name of a missing secret and how to set it, never a value, also when wrangler repeats what it was given", async () => {
    account = openAccount();
    expect((await account.deploy(team)).failed).toContain("npx wrangler secret put MODEL_KEY --name parley");
    expect(account.state().workers).toEqual({});
    const made = readFileSync(account.secretsFile(), "utf8");
    const token = /API_TOKEN="(.+)"/.exec(made)?.[1] ?? "";
    expect(token.length).toBeGreaterThan(20);
    const value = "model-key-0123456789";
    writeFileSync(account.secretsFile(), `${made}MODEL_KEY="${value}"\n`);
    account.change({ faults: { deploy: "leak" } });
    const leaking = await account.deploy(team);
    expect(leaking.failed).toContain("[secret:MODEL_KEY]");
    account.change({ faults: {} });
    const whole = await account.deploy(team);
    expect(whole.failed).toBeNull();
    expect(account.state().workers.parley?.secrets).toEqual({ API_TOKEN: token, MODEL_KEY: value });
    const shown = leaking.shown + whole.shown + account.state().calls.join("\n");
    expect(shown).not.toContain(token);
    expect(shown).not.toContain(value);
  });

  it("L5 is never a secret in the stack of a mistake", async () => {
    account = openAccount();
    writeSecrets('API_TOKEN="token-0123456789"');
    const buildViewer = async () => Promise.reject(new TypeError("cannot build with token-0123456789"));
    const { failed, shown } = await account.deploy({ buildViewer });
    expect(failed).toContain("cannot build with [secret:API_TOKEN]");
    expect(shown).toContain("deploy.test.ts");
    expect(shown).not.toContain("token-0123456789");
  });

  it("L5 is never a secret in a warning", async () => {
    account = openAccount();
    writeSecrets('MAIL_KEY="mail-key-0123456789"');
    const { shown } = await account.deploy({ configFile: "test/unit/deploy/email-team.json" });
    expect(shown).toMatch(/warning: .*\[secret:MAIL_KEY\].*No agent/);
    expect(shown).not.toContain("mail-key-0123456789");
  });

  it("is that two tokens disagree, before anything goes by one of them", async () => {
    account = openAccount();
    writeSecrets('API_TOKEN="token-0123456789"');
    const { failed } = await account.deploy({ environment: { API_TOKEN: "another-token-0123" } });
    expect(failed).toMatch(/4\/10 secrets failed[\s\S]*API_TOKEN in the environment/);
    expect(account.state().versions).toBe(0);
  });

  it("is the next step when nobody is signed in", async () => {
    account = openAccount({ signedIn: false });
    expect((await account.deploy()).failed).toContain("npx wrangler login");
    expect(account.state().calls).toEqual(["whoami --json"]);
  });

  it("are the accounts when there are several, and one is taken when it is named", async () => {
    const accounts = [
      { id: "acc1", name: "Roastery" },
      { id: "acc2", name: "Other" },
    ];
    account = openAccount({ accounts });
    expect((await account.deploy()).failed).toMatch(
      /CLOUDFLARE_ACCOUNT_ID.*\n\s+acc1 {2}Roastery\n\s+acc2 {2}Other/,
    );
    const environment = { CLOUDFLARE_ACCOUNT_ID: "acc2" };
    expect((await account.deploy({ environment })).failed).toBeNull();
    expect(account.state().workers.parley?.config).toMatchObject({ account_id: "acc2" });
    const other = await account.deploy({ environment: { CLOUDFLARE_ACCOUNT_ID: "acc1" } });
    expect(other.failed).toContain("--name");
  });

  it("is how R2 is switched on, where it is not", async () => {
    account = openAccount({ r2: false });
    expect((await account.deploy()).failed).toContain("R2 is not enabled");
  });

  it.each([
    ["nobody can be asked", null, /Add --yes/],
    ["the answer is no", async () => "n", /did not want/],
  ] as const)("is what would be made, and nothing is, when %s", async (_when, ask, reason) => {
    account = openAccount();
    expect((await account.deploy({ yes: false, ask })).failed).toMatch(reason);
    expect(created(account.state())).toEqual([]);
  });

  it("is what to do about a token that only the Worker knows", async () => {
    account = openAccount();
    await account.deploy();
    rmSync(account.secretsFile());
    expect((await account.deploy()).failed).toContain("npx wrangler secret put API_TOKEN --name parley");
    const token = account.state().workers.parley?.secrets.API_TOKEN;
    expect((await account.deploy({ environment: { API_TOKEN: token } })).failed).toBeNull();
  });

  it.each([
    [
      "the version that answers",
      "7/10",
      (url: URL) => url.pathname === "/api/health",
      { status: 200, body: '{"ok":true}' },
    ],
    ["the token's door", "10/10", (url: URL) => url.pathname === "/api/agents", { status: 200, body: "[]" }],
    [
      "the viewer",
      "10/10",
      (url: URL) => url.hostname.endsWith("pages.dev"),
      { status: 404, body: "Nothing here" },
    ],
  ] as const)("is that %s is not as it should be", async (_what, place, at, { status, body }) => {
    account = openAccount();
    const answer = (url: URL) => (at(url) ? new Response(body, { status }) : undefined);
    expect((await account.deploy({ answer })).failed).toContain(`${place} `);
  });

  it("is that Cloudflare Access stands before the viewer, which is no fault", async () => {
    account = openAccount();
    const login = { location: "https://team.cloudflareaccess.com/cdn-cgi/access/login" };
    const answer = (url: URL) =>
      url.hostname.endsWith("pages.dev") ? new Response(null, { status: 302, headers: login }) : undefined;
    const { failed, shown } = await account.deploy({ answer });
    expect(failed).toBeNull();
    expect(shown).toContain("behind Cloudflare Access");
  });

  it("is what to do where Cloudflare Access stands before the only address, and a service token goes through", async () => {
    account = openAccount({ targets: ["schedule: * * * * *"] });
    const location = "https://team.cloudflareaccess.com/cdn-cgi/access/login";
    const answer = (_url: URL, headers: Headers) =>
      headers.get("cf-access-client-id") === "id.access" && headers.get("cf-access-client-secret") === SERVICE
        ? undefined
        : new Response(null, { status: 302, headers: { location } });
    const refused = await account.deploy({ answer });
    expect(refused.failed).toMatch(/9\/10 [\s\S]*CLOUDFLARE_ACCESS_CLIENT_ID[\s\S]*docs\/access\.md/);
    const environment = {
      CLOUDFLARE_ACCESS_CLIENT_ID: "id.access",
      CLOUDFLARE_ACCESS_CLIENT_SECRET: SERVICE,
    };
    const whole = await account.deploy({ answer, environment });
    expect(whole.failed).toBeNull();
    expect(whole.shown).toContain("health, token and 1 agents are as they should be");
    expect(account.pushed).toHaveLength(1);
    expect((await account.deploy({ answer })).failed).toBeNull();
  });

  it("is each fault of the config with its path, and the Worker stays as it was", async () => {
    account = openAccount();
    const { failed } = await account.deploy({ configFile: "test/unit/deploy/faulty.json" });
    expect(failed).toMatch(/config check failed:[\s\S]*agents\[0\]/);
    expect(account.state().workers).toEqual({});
  });
});
