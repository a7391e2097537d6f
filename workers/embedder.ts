/** The instance's embedding model, if it has one. What it cannot do now waits, and is told in the log. */
import type { Embed } from "../core/analysis/analyse-questions.ts";
import type { InstanceConfig } from "../core/config/instance.ts";
import { resolveSecrets } from "../core/config/secrets.ts";
import { describeError } from "../core/log.ts";
import { type EmbeddingModel, openAiEmbeddings, workersAiEmbeddings } from "../core/model/embeddings.ts";
import type { Env } from "../durable-objects/env.ts";
import { workerLog } from "./log.ts";

const TEXTS_PER_CALL = 100;
/** A question's beginning says what it is about. */
const TEXT_CHARS = 2_000;
const CALL_MS = 20_000;
const OPENAI = "https://api.openai.com/v1";

const MINUTE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;

/** Of this isolate: how often it failed in a row, and until when (epoch milliseconds) it is left alone. */
let failures = 0;
let pausedUntil = 0;

/** @param now epoch milliseconds */
export function embedder(env: Env, instance: InstanceConfig, now: number): Embed {
  const embedding = instance.analysis?.embedding;
  if (embedding === undefined) return async () => null;
  return async (texts) => {
    if (now < pausedUntil) return { code: "later" };
    try {
      const vectors = await inCalls(modelOf(env, embedding), texts);
      failures = 0;
      return { code: "vectors", model: `${embedding.provider}:${embedding.name}`, vectors };
    } catch (error) {
      pausedUntil = now + Math.min(LONGEST_PAUSE_MS, MINUTE_MS * 2 ** failures);
      failures += 1;
      workerLog(env, instance.plainVars).warn(
        `Questions wait for the embedding model: ${describeError(error)}`,
      );
      return { code: "later" };
    }
  };
}

/** For whoever waits for an answer: with a model, questions are left to the minutes to come. */
export function withoutWaiting(instance: InstanceConfig): Embed {
  return async () => (instance.analysis?.embedding === undefined ? null : { code: "later" });
}

async function inCalls(
  model: EmbeddingModel,
  texts: readonly string[],
): Promise<readonly (readonly number[])[]> {
  const vectors: (readonly number[])[] = [];
  for (let from = 0; from < texts.length; from += TEXTS_PER_CALL) {
    const some = texts
      .slice(from, from + TEXTS_PER_CALL)
      .map((text) => text.slice(0, TEXT_CHARS).toWellFormed());
    vectors.push(...(await model(some, AbortSignal.timeout(CALL_MS))));
  }
  return vectors;
}

type Embedding = NonNullable<NonNullable<InstanceConfig["analysis"]>["embedding"]>;

function modelOf(env: Env, embedding: Embedding): EmbeddingModel {
  if (embedding.provider === "workers-ai") {
    if (env.AI === undefined) throw new Error("the Workers AI binding is missing: add [ai] to wrangler.toml");
    return workersAiEmbeddings(env.AI, embedding.name);
  }
  return openAiEmbeddings({
    baseUrl: embedding.baseUrl ?? OPENAI,
    apiKey: embedding.apiKey === undefined ? null : keyOf(embedding.apiKey, env),
    model: embedding.name,
    fetch: (input, init) => fetch(input, { ...init, redirect: "manual" }),
  });
}

function keyOf(reference: unknown, env: Env): string {
  const resolved = resolveSecrets({ value: reference }, { ...env });
  if (!resolved.ok) throw new Error(`the secret ${resolved.missing.join(", ")} is not set`);
  return String(Object(resolved.value).value);
}
