/** The instance's embedding model, if it has one. What it cannot do is told in the log and leaves questions to their words. */
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

export function embedder(env: Env, instance: InstanceConfig): Embed {
  return async (texts) => {
    try {
      const model = modelOf(env, instance);
      return model === null ? null : await inCalls(model, texts);
    } catch (error) {
      workerLog(env, instance.plainVars).warn(
        `Questions were compared without the embedding model: ${describeError(error)}`,
      );
      return null;
    }
  };
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

function modelOf(env: Env, instance: InstanceConfig): EmbeddingModel | null {
  const embedding = instance.analysis?.embedding;
  if (embedding === undefined) return null;
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
