import { afterEach, describe, expect, it } from "vitest";
import { type Account, type CloudflareAccount, openAccount } from "../../support/cloudflare-account.ts";

let account: CloudflareAccount;
afterEach(() => account?.remove());

const team = { configFile: "test/unit/deploy/plain-team.json" };
const written = ({ calls }: Account) =>
  calls.filter(
    (call) =>
      /^(d1 (create|migrations)|kv namespace create|r2 bucket create|pages|deploy )/.test(call) &&
      !/ list/.test(call),
  );

/** Something else of somebody's, under a name that the instance would have. */
const OTHERS: readonly (readonly [string, Partial<Account>])[] = [
  ["D1 database parley", { databases: [{ uuid: "other", name: "parley" }] }],
  ["KV namespace parley-config", { namespaces: [{ id: "other", title: "parley-config" }] }],
  ["R2 bucket parley-texts", { buckets: ["parley-texts"] }],
  ["Pages project parley-ui", { projects: ["parley-ui"] }],
  ["Worker parley", { workers: { parley: { secrets: {}, version: "other", config: {} } } }],
];

describe("what the account has under the instance's names", () => {
  it.each(OTHERS)("is left alone unless somebody says that it is the instance's: %s", async (what, state) => {
    account = openAccount(state);
    const { failed } = await account.deploy(team);
    expect(failed).toContain(what);
    expect(failed).toContain("--adopt");
    expect(written(account.state())).toEqual([]);
    const asked: string[] = [];
    const ask = (answer: string) => async (question: string) => {
      asked.push(question);
      return answer;
    };
    expect((await account.deploy({ ...team, yes: false, ask: ask("n") })).failed).toContain("--name");
    expect(asked[0]).toContain(what);
    expect(written(account.state())).toEqual([]);
    expect((await account.deploy({ ...team, adopt: true })).failed).toBeNull();
    expect((await account.deploy(team)).failed).toBeNull();
  });

  it("is left alone too where only making it shows that it is there", async () => {
    const others = Array.from({ length: 25 }, (_, index) => `a${index}`);
    account = openAccount({ buckets: [...others, "parley-files", "parley-texts"] });
    for (const _again of [1, 2])
      expect((await account.deploy(team)).failed).toContain("R2 bucket parley-files");
    expect((await account.deploy({ ...team, adopt: true })).failed).toBeNull();
    expect(account.state().buckets).toHaveLength(27);
  });

  it("is the instance's own where its Worker is bound to it, whoever deploys, as in CI", async () => {
    account = openAccount();
    await account.deploy(team);
    account.forget();
    expect((await account.deploy(team)).failed).toBeNull();
    account.forget();
    account.change({ databases: [{ uuid: "another", name: "parley" }] });
    expect((await account.deploy(team)).failed).toContain("D1 database parley");
  });
});

describe("the demo team", () => {
  it("is not put in the place of another that this machine has forgotten", async () => {
    account = openAccount();
    await account.deploy(team);
    account.forget();
    expect((await account.deploy()).failed).toMatch(/2\/10 [\s\S]*--config/);
    expect((await account.deploy({ adopt: true })).failed).toMatch(/2\/10 [\s\S]*--config/);
    expect(account.pushed).toHaveLength(1);
  });

  it("is not put in the place of the one that was sent by a deployment which failed afterwards", async () => {
    account = openAccount();
    const answer = (url: URL) =>
      url.hostname.endsWith("pages.dev") ? new Response("Nothing here", { status: 404 }) : undefined;
    expect((await account.deploy({ ...team, answer })).failed).toContain("10/10");
    expect((await account.deploy()).failed).toBeNull();
    expect(account.pushed).toHaveLength(1);
  });

  it("is not put in the place of agents that came another way", async () => {
    account = openAccount();
    const answer = (url: URL) => (url.pathname === "/api/agents" ? Response.json([{}]) : undefined);
    expect((await account.deploy({ answer })).failed).toMatch(/9\/10 [\s\S]*has agents[\s\S]*--config/);
    expect(account.pushed).toHaveLength(0);
  });
});
