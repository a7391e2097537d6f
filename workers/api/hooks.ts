/**
 * Calls from outside that wake an agent. The signature is the credential, so these routes stand before the
 * token. Whoever has no right one hears the same, whether there is such an agent and webhook or not.
 */
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { FreshReading } from "../../core/access/fresh-reading.ts";
import { resolveSecrets } from "../../core/config/secrets.ts";
import {
  type HookHeaders,
  isSignedWith,
  readSeal,
  type SignedCall,
  signedCall,
} from "../../core/hooks/signature.ts";
import type { HookLock, TakenDelivery } from "../../core/hooks/take-delivery.ts";
import { isAgentId } from "../../core/ids.ts";
import { HOOK_BODY_BYTES } from "../../core/limits.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { readingWorld } from "../access/reading-world.ts";
import type { AppEnv } from "../app-env.ts";
import { restoreAgent } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { workerLog } from "../log.ts";
import { agentStub, hubStub } from "../objects.ts";

const limitHookBody = bodyLimit({ maxSize: HOOK_BODY_BYTES, onError: refuseLarge });

export const hookRoutes = new Hono<AppEnv>()
  .post("/:agentId/:name", async (context) => {
    const { agentId, name } = context.req.param();
    const seal = readSeal(headersOf(context), Date.now());
    if (seal === null) return refuseUnread(context);
    await limitHookBody(context, async () => undefined);
    const body = new Uint8Array(await context.req.arrayBuffer());
    const signed = signedCall(seal, body);
    if (signed === null || !(await isAllowed(context.env, { agentId, name, signed }))) return refuse(context);
    const delivery = {
      name,
      marks: seal.marks,
      body: new TextDecoder().decode(body),
      headers: [...context.req.raw.headers].filter(([key]) => key.startsWith("x-")),
    };
    const taken = await again(
      async (): Promise<TakenDelivery> => agentStub(context.env, agentId).takeDelivery(delivery),
    );
    if (taken.ok) return context.json({ runId: taken.runId }, taken.repeated ? 200 : 202);
    if (taken.code === "unknown") return refuse(context);
    throw new ApiError("queue_full", "The agent's queue is full. Try again later.");
  })
  .all("*", (context) => refuse(context));

function refuseLarge(): never {
  throw new ApiError("too_large", `A webhook's body may have ${HOOK_BODY_BYTES} bytes.`);
}

/** Of a call that does not even look right no byte of the body is read. */
function refuseUnread(context: Context): Response {
  if (Number(context.req.header("Content-Length")) > HOOK_BODY_BYTES) return refuseLarge();
  return refuse(context);
}

function refuse(context: Context): Response {
  const message =
    "Sign the call: X-Hub-Signature-256 over X-Parley-Timestamp, a dot and the body, and X-Parley-Delivery.";
  return context.json({ error: { code: "unauthorized", message } }, 401, {
    "WWW-Authenticate": "X-Hub-Signature-256",
  });
}

function headersOf({ req }: Context): HookHeaders {
  return {
    signature: req.header("X-Hub-Signature-256") ?? null,
    timestamp: req.header("X-Parley-Timestamp") ?? null,
    deliveryId: req.header("X-Parley-Delivery") ?? null,
  };
}

interface Attempt {
  readonly agentId: string;
  readonly name: string;
  readonly signed: SignedCall;
}

async function isAllowed(env: Env, { agentId, name, signed }: Attempt): Promise<boolean> {
  const lock = await lockOf(env, agentId, name);
  const secret = lock === null ? null : secretOf(env, lock);
  if (lock !== null && secret === null)
    workerLog(env).warn(`The webhook ${agentId}/${name} is closed: its secret ${lock.secret} is not set.`);
  // Without a secret the work is done all the same, so that the time taken tells less; with one that nobody can know.
  const isRight = await isSignedWith(secret ?? crypto.randomUUID(), signed);
  if (lock === null || secret === null) return false;
  return isRight && (!signed.bodyAlone || lock.bodyOnly);
}

/** Null when it is not set, or empty. */
function secretOf(env: Env, lock: HookLock): string | null {
  const resolved = resolveSecrets({ $secret: lock.secret }, { ...env });
  return resolved.ok && typeof resolved.value === "string" ? resolved.value : null;
}

/** Who works here, and how calls of their webhooks are checked. A flood of calls is none for the hub and the agents. */
const agentIds = new FreshReading<ReadonlySet<string>>(readingWorld);
const locks = new Map<string, FreshReading<readonly HookLock[]>>();
/** Those that began first are forgotten: they are read anew. */
const MAX_AGENTS = 500;

/** No object is made for an agent that the instance does not have. */
async function lockOf(env: Env, agentId: string, name: string): Promise<HookLock | null> {
  if (!isAgentId(agentId)) return null;
  const ids = await agentIds.fresh(() => again(async () => hubStub(env).agentIds()));
  if (!ids.has(agentId)) return null;
  const found = await locksOf(agentId).fresh(() => readLocks(env, agentId));
  return found.find((lock) => lock.name === name) ?? null;
}

function locksOf(agentId: string): FreshReading<readonly HookLock[]> {
  const known = locks.get(agentId);
  if (known !== undefined) return known;
  const [oldest] = locks.keys();
  if (oldest !== undefined && locks.size >= MAX_AGENTS) locks.delete(oldest);
  const fresh = new FreshReading<readonly HookLock[]>(readingWorld);
  locks.set(agentId, fresh);
  return fresh;
}

async function readLocks(env: Env, agentId: string): Promise<readonly HookLock[]> {
  const ask = () =>
    again(async (): Promise<HookLock[] | "not_configured"> => agentStub(env, agentId).hookLocks());
  const found = await ask();
  if (found !== "not_configured") return found;
  const restored = (await restoreAgent(env, agentId)) ? await ask() : [];
  return restored === "not_configured" ? [] : restored;
}
