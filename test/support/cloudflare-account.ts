/** An account at Cloudflare as a file, with the stand-in for wrangler, and the instance that answers where it was deployed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { version } from "../../package.json";
import { type DeployOptions, deploy } from "../../scripts/deploy/deploy.mjs";
import { openDeployment } from "../../scripts/deploy/deployment.mjs";
import { createContext } from "../../scripts/deploy/main.mjs";

const worker = z.object({
  secrets: z.record(z.string(), z.string()),
  version: z.string(),
  config: z.looseObject({}),
});
const accountShape = z.object({
  signedIn: z.boolean(),
  accounts: z.array(z.object({ id: z.string(), name: z.string() })),
  r2: z.boolean(),
  databases: z.array(z.looseObject({ uuid: z.string(), name: z.string() })),
  namespaces: z.array(z.looseObject({ id: z.string(), title: z.string() })),
  buckets: z.array(z.string()),
  projects: z.array(z.string()),
  workers: z.record(z.string(), worker),
  viewer: z.object({ project: z.string(), service: z.string() }).nullable(),
  versions: z.number(),
  migrated: z.boolean(),
  targets: z.array(z.string()),
  viewerDomain: z.string(),
  pagesEnvironment: z.string(),
  faults: z.record(z.string(), z.enum(["refuse", "lose", "hang", "leak"])),
  calls: z.array(z.string()),
});
export type Account = z.infer<typeof accountShape>;

const EMPTY: Account = {
  signedIn: true,
  accounts: [{ id: "acc1", name: "Roastery" }],
  r2: true,
  databases: [],
  namespaces: [],
  buckets: [],
  projects: [],
  workers: {},
  viewer: null,
  versions: 0,
  migrated: false,
  targets: ["https://parley.roastery.workers.dev", "schedule: * * * * *"],
  viewerDomain: "parley-ui.pages.dev, team.example.org",
  pagesEnvironment: "production",
  faults: {},
  calls: [],
};

const fake = join(import.meta.dirname, "fake-wrangler.mjs");
const never = new AbortController().signal;

export interface CloudflareAccount {
  /** What is in it now. */
  state(): Account;
  change(more: Partial<Account>): void;
  /** Deploys; answers all that was shown, or what the failure said. */
  deploy(options?: RunOptions): Promise<{ readonly failed: string | null; readonly shown: string }>;
  /** Config documents that the instance was sent. */
  readonly pushed: unknown[];
  readonly secretsFile: (name?: string) => string;
  remove(): void;
}

export interface RunOptions
  extends Partial<Pick<DeployOptions, "configFile" | "yes" | "ask" | "environment">> {
  readonly name?: string;
  /** Command that is ended as if it had not come to its end in time. */
  readonly endSoon?: string;
  /** Text of the file of own keys. */
  readonly own?: string;
  /** What the instance answers in the place of its own answer. */
  readonly answer?: (url: URL) => Response | undefined;
}

export function openAccount(state: Partial<Account> = {}): CloudflareAccount {
  const folder = mkdtempSync(join(tmpdir(), "parley-account-"));
  const file = join(folder, "account.json");
  const read = () => accountShape.parse(JSON.parse(readFileSync(file, "utf8")));
  const write = (account: Account) => writeFileSync(file, JSON.stringify(account));
  const pushed: unknown[] = [];
  write({ ...EMPTY, ...state });
  return {
    state: read,
    change: (more) => write({ ...read(), ...more }),
    pushed,
    secretsFile: (name = "parley") => join(folder, name, "secrets"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
    deploy: (options = {}) =>
      runDeploy({ folder, file, instance: instanceOf(read, pushed, options) }, options),
  };
}

interface World {
  readonly folder: string;
  readonly file: string;
  readonly instance: typeof fetch;
}

async function runDeploy({ folder, file, instance }: World, options: RunOptions) {
  const lines: string[] = [];
  const own = join(folder, "own.toml");
  writeFileSync(own, options.own ?? "");
  const context = createContext(
    {
      deployment: openDeployment(folder, options.name ?? "parley", own),
      environment: options.environment ?? {},
      configFile: options.configFile ?? join("demo", "config.json"),
      again: "npm run deploy",
      yes: options.yes ?? true,
      ask: options.ask ?? null,
      log: (line) => lines.push(line),
      pause: async () => undefined,
      buildViewer: async () => undefined,
      fetch: instance,
    },
    {
      command: [process.execPath, fake, file],
      limit: (args) => (args[0] === options.endSoon ? AbortSignal.timeout(1_500) : never),
    },
  );
  const failed = await deploy(context).then(
    () => null,
    (error: unknown) => String(error),
  );
  return { failed, shown: [...lines, failed ?? ""].join("\n") };
}

/** Behaves as a deployed instance does, by what the account's Workers are. */
function instanceOf(read: () => Account, pushed: unknown[], options: RunOptions): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const replaced = options.answer?.(url);
    if (replaced !== undefined) return replaced;
    const deployed = read().workers[options.name ?? "parley"];
    if (deployed === undefined) return new Response("There is nothing here yet", { status: 404 });
    if (url.pathname === "/") return new Response("<!doctype html><html></html>");
    if (url.pathname === "/api/health")
      return Response.json({ ok: true, version }, { headers: { "Parley-Version-Id": deployed.version } });
    const authorization = new Headers(init?.headers).get("authorization");
    if (authorization !== `Bearer ${deployed.secrets.API_TOKEN}`) return Response.json({}, { status: 401 });
    if (init?.method === "PUT") pushed.push(JSON.parse(String(init.body)));
    return Response.json(url.pathname === "/api/agents" ? pushed.slice(-1) : {});
  };
}
