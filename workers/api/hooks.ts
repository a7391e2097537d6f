/**
 * Calls from outside that wake an agent. The signature is the credential, so these routes stand before the
 * token. Whoever has no right one hears the same, whether there is such an agent and webhook or not.
 */
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { type HookCall, isSignedWith, readCall, type SignedCall } from "../../core/hooks/signature.ts";
import type { HookLock, TakenDelivery } from "../../core/hooks/take-delivery.ts";
import { isAgentId } from "../../core/ids.ts";
import { HOOK_BODY_BYTES } from "../../core/limits.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import type { AppEnv } from "../app-env.ts";
import { restoreAgent } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { workerLog } from "../log.ts";
import { agentStub, hubStub } from "../objects.ts";

const limitHookBody = bodyLimit({
  maxSize: HOOK_BODY_BYTES,
  onError: () => {
    throw new ApiError("too_large", `A webhook's body may have ${HOOK_BODY_BYTES} bytes.`);
  },
});

export const hookRoutes = new Hono<AppEnv>()
  .use(limitHookBody)
  .post("/:agentId/:name", async (context) => {
    const { agentId, name } = context.req.param();
    const call = await callOf(context);
    const signed = readCall(call, Date.now());
    if (signed === null || !(await isAllowed(context.env, { agentId, name, signed }))) return refuse(context);
    const delivery = {
      name,
      marks: signed.marks,
      body: new TextDecoder().decode(call.body),
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

function refuse(context: Context): Response {
  const message =
    "Sign the call: X-Hub-Signature-256 over X-Parley-Timestamp, a dot and the body, and X-Parley-Delivery.";
  return context.json({ error: { code: "unauthorized", message } }, 401, {
    "WWW-Authenticate": "X-Hub-Signature-256",
  });
}

async function callOf({ req }: Context): Promise<HookCall> {
  return {
    signature: req.header("X-Hub-Signature-256") ?? null,
    timestamp: req.header("X-Parley-Timestamp") ?? null,
    deliveryId: req.header("X-Parley-Delivery") ?? null,
    body: new Uint8Array(await req.arrayBuffer()),
  };
}

interface Attempt {
  readonly agentId: string;
  readonly name: string;
  readonly signed: SignedCall;
}

async function isAllowed(env: Env, { agentId, name, signed }: Attempt): Promise<boolean> {
  const lock = await lockOf(env, agentId, name);
  const secret = lock === null ? undefined : new Map(Object.entries(env)).get(lock.secret);
  if (lock !== null && (typeof secret !== "string" || secret === ""))
    workerLog(env).warn(`The webhook ${agentId}/${name} is closed: its secret ${lock.secret} is not set.`);
  const known = typeof secret === "string" && secret !== "";
  // Without a secret the work is done all the same, so that the time taken tells less.
  const signedWith = await isSignedWith(known ? secret : "none", signed);
  return signedWith && known && lock !== null && (!signed.bodyAlone || lock.bodyOnly);
}

/** No object is made for an agent that the instance does not have. */
async function lockOf(env: Env, agentId: string, name: string): Promise<HookLock | null> {
  if (!isAgentId(agentId)) return null;
  const { agents } = await again(() => hubStub(env).directory());
  if (!agents.some((entry) => entry.agentId === agentId)) return null;
  const lock = () =>
    again(async (): Promise<HookLock | null | "not_configured"> => agentStub(env, agentId).hookLock(name));
  const found = await lock();
  if (found !== "not_configured") return found;
  const restored = (await restoreAgent(env, agentId)) ? await lock() : null;
  return restored === "not_configured" ? null : restored;
}
