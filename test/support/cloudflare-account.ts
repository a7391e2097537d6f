/** An account at Cloudflare as a file, with the stand-in for wrangler, and the instance that answers where it was deployed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { version } from "../../package.json";
import { type DeployOptions, deploy } from "../../scripts/deploy/deploy.mjs";
import { openDeployment } from "../../scripts/deploy/deployment.mjs";
import { createContext } from "../../scripts/deploy/main.mjs";
import { configFileOf } from "../../scripts/deploy/team.mjs";
import type { CommandOptions } from "../../scripts/deploy/wrangler-command.mjs";
import { buildViewer } from "../../scripts/instance/viewer.mjs";
import { runFakeWrangler } from "./fake-wrangler.mjs";

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
  /** What bundling and starting the Worker come to. */
  bundle: z.object({
    kib: z.number(),
    leanKib: z.number(),
    startupMs: z.number(),
    imports: z.record(z.string(), z.string()),
  }),
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
  bundle: { kib: 1_200, leanKib: 390, startupMs: 200, imports: {} },
  faults: {},
  calls: [],
};

const fake = join(import.meta.dirname, "fake-wrangler.mjs");
/** The stand-in for the account in that file: as a process where that matters, else in this one, which is much quicker. */
const asProcess = (file: string): CommandOptions => ({ command: [process.execPath, fake, file] });
const inPlace = (file: string): CommandOptions => ({
  command: [file],
  execute: async (command, options) => {
    const { code, ...said } = runFakeWrangler(command, options);
    return { ...said, problem: code === 0 ? null : `ended with code ${code}` };
  },
});
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
  /** How to run what stands for wrangler. */
  readonly wrangler: CommandOptions;
  /** Loses what this machine knows of the instance, but for its secrets. */
  forget(): void;
  remove(): void;
}

export interface RunOptions
  extends Partial<
    Pick<DeployOptions, "configFile" | "yes" | "adopt" | "ask" | "environment" | "buildViewer">
  > {
  readonly name?: string;
  /** Whether what stands for wrangler runs as a process of its own. */
  readonly asProcess?: boolean;
  /** Command that is ended as if it had not come to its end in time; with `asProcess`. */
  readonly endSoon?: string;
  /** Text of the file of own keys. */
  readonly own?: string;
  /** What the instance answers in the place of its own answer. */
  readonly answer?: (url: URL, headers: Headers) => Response | undefined;
}

export function openAccount(state: Partial<Account> = {}): CloudflareAccount {
  const folder = mkdtempSync(join(tmpdir(), "parley-account-"));
  const file = join(folder, "account.json");
  const read = () => accountShape.parse(JSON.parse(readFileSync(file, "utf8")));
  const write = (account: Account) => writeFileSync(file, JSON.stringify(account));
  const pushed: unknown[] = [];
  const sentTo = new Map<string, unknown>();
  write({ ...EMPTY, ...state });
  return {
    state: read,
    change: (more) => write({ ...read(), ...more }),
    pushed,
    secretsFile: (name = "parley") => join(folder, name, "secrets"),
    wrangler: inPlace(file),
    forget: () => rmSync(join(folder, "parley", "deployment.json")),
    remove: () => rmSync(folder, { recursive: true, force: true }),
    deploy: (options = {}) =>
      runDeploy({ folder, file, instance: instanceOf({ read, pushed, sentTo }, options) }, options),
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
  const deployment = openDeployment(folder, options.name ?? "parley", own);
  const environment = options.environment ?? {};
  const context = createContext(
    {
      deployment,
      environment,
      ...configFileOf(options.configFile, deployment.notes().configFile, environment),
      adopt: options.adopt ?? false,
      again: "npm run deploy",
      yes: options.yes ?? true,
      ask: options.ask ?? null,
      log: (line) => lines.push(line),
      pause: async () => undefined,
      buildViewer: options.buildViewer ?? buildViewer,
      fetch: instance,
    },
    {
      ...(options.asProcess ? asProcess(file) : inPlace(file)),
      limit: (args) => (args[0] === options.endSoon ? AbortSignal.timeout(1_500) : never),
    },
  );
  const failed = await deploy(context).then(
    () => null,
    (error: unknown) => error,
  );
  const stack = failed instanceof Error ? (failed.stack ?? "") : "";
  return { failed: failed === null ? null : String(failed), shown: [...lines, stack].join("\n") };
}

interface Instances {
  readonly read: () => Account;
  readonly pushed: unknown[];
  /** What each instance of the account was sent last, by its name. */
  readonly sentTo: Map<string, unknown>;
}

/** Behaves as a deployed instance does, by what the account's Workers are. */
function instanceOf({ read, pushed, sentTo }: Instances, options: RunOptions): typeof fetch {
  const name = options.name ?? "parley";
  return async (input, init) => {
    const url = new URL(String(input));
    const replaced = options.answer?.(url, new Headers(init?.headers));
    if (replaced !== undefined) return replaced;
    const deployed = read().workers[name];
    if (deployed === undefined) return new Response("There is nothing here yet", { status: 404 });
    if (url.pathname === "/") return new Response("<!doctype html><html></html>");
    if (url.pathname === "/api/health")
      return Response.json({ ok: true, version }, { headers: { "Parley-Version-Id": deployed.version } });
    const authorization = new Headers(init?.headers).get("authorization");
    if (authorization !== `Bearer ${deployed.secrets.API_TOKEN}`) return Response.json({}, { status: 401 });
    if (init?.method === "PUT") sentTo.set(name, pushed[pushed.push(JSON.parse(String(init.body))) - 1]);
    return Response.json(url.pathname === "/api/agents" ? (sentTo.has(name) ? [sentTo.get(name)] : []) : {});
  };
}
