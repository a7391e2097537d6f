/** The door for clients of OpenAI's chat completions: each agent is a model. */
import { type Context, Hono } from "hono";
import { framedInput } from "../../core/framed-input.ts";
import type { NewRun } from "../../core/journal/runs.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import type { AppEnv } from "../app-env.ts";
import { readBody } from "../body.ts";
import { requireAgent, shownChars } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { EVENT_STREAM_HEADERS } from "../event-stream.ts";
import { executeRun, newRootRun, streamRun } from "../execute-run.ts";
import { hubStub } from "../objects.ts";
import { completion, type Head } from "../openai/completion.ts";
import { completionEnding } from "../openai/ending.ts";
import { noModel } from "../openai/errors.ts";
import { clientInput, KEPT_BY_CLIENT } from "../openai/input.ts";
import { type CompletionBody, completionBody, ignoredParameters } from "../openai/request.ts";
import { completionStream } from "../openai/stream.ts";

export const openAiRoutes = new Hono<AppEnv>()
  .get("/models", async (context) => {
    const { agents } = await again(() => hubStub(context.env).directory());
    return context.json({ object: "list", data: agents.map(({ agentId }) => modelView(agentId)) });
  })
  .get("/models/:model", async (context) => {
    const model = context.req.param("model");
    await requireModel(context.env, model);
    return context.json(modelView(model));
  })
  .post("/chat/completions", async (context) => {
    const body = await readBody(context, completionBody);
    const agentId = body.model;
    await requireModel(context.env, agentId);
    const run = await runFor(context.env, body);
    const ignored = ignoredParameters(body);
    if (ignored.length > 0) context.header("X-Parley-Ignored", ignored.join(", "));
    const head = { runId: run.runId, agentId, created: Math.floor(Date.now() / 1000) };
    return withRunId(context, run, () =>
      body.stream === true ? streamed(context, { body, head, run }) : answered(context, { head, run }),
    );
  });

/** When an agent was made is not kept. */
function modelView(agentId: string) {
  return { id: agentId, object: "model", created: 0, owned_by: "parley" };
}

async function requireModel(env: Env, model: string): Promise<void> {
  try {
    await requireAgent(env, model);
  } catch (error) {
    throw isNotFound(error) ? noModel() : error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_found";
}

/** As of a message to the API. */
const MAX_QUESTION_CHARS = 8_000_000;

async function runFor(env: Env, body: CompletionBody): Promise<NewRun> {
  const agentId = body.model;
  const input = clientInput(body.messages);
  if (input.question === "") throw badMessages("Must end with a text of the user's");
  if (input.question.length > MAX_QUESTION_CHARS)
    throw badMessages(`The user's last messages may have ${MAX_QUESTION_CHARS} characters`);
  if (body.metadata?.conversation === "agent")
    return newRootRun({ agentId, trigger: "chat", lane: "conversation", message: input.question });
  // A message without a transcript goes as it is: nothing has to be known of the agent.
  const chars = input.transcript.length === 0 ? 0 : await shownChars(env, agentId);
  const message = framedInput(input, chars, KEPT_BY_CLIENT);
  return newRootRun({ agentId, trigger: "run", lane: "isolated", message });
}

function badMessages(message: string): ApiError {
  return new ApiError("bad_request", "The request has faults.", [{ path: "messages", message }]);
}

/**
 * Clients of OpenAI's send a request again by themselves when it fails. Once the run may have been accepted,
 * that would be the same work a second time.
 */
async function withRunId(
  context: Context<AppEnv>,
  run: NewRun,
  work: () => Promise<Response>,
): Promise<Response> {
  context.header("X-Parley-Run", run.runId);
  context.header("X-Should-Retry", "false");
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) {
      context.header("X-Parley-Run", undefined);
      context.header("X-Should-Retry", undefined);
    }
    throw isNotFound(error) ? noModel() : error;
  }
}

interface Order {
  readonly head: Head;
  readonly run: NewRun;
}

async function answered(context: Context<AppEnv>, { head, run }: Order): Promise<Response> {
  const result = await executeRun(context.env, head.agentId, run);
  const ending = completionEnding(result.receipt);
  return ending.ok
    ? context.json(completion(head, result, ending.finish))
    : context.json(ending.body, ending.status);
}

async function streamed(
  context: Context<AppEnv>,
  { body, head, run }: Order & { readonly body: CompletionBody },
): Promise<Response> {
  const events = await streamRun(context.env, head.agentId, run);
  const withUsage = body.stream_options?.include_usage === true;
  return context.body(completionStream({ head, withUsage, events }), 200, EVENT_STREAM_HEADERS);
}
