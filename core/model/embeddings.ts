/** Embeddings: texts as vectors that are close where the texts mean alike. */
import { z } from "zod";
import type { AiLike } from "./workers-ai.ts";

/** Vectors in the order of the texts. Rejects when the model does not answer as it should. */
export type EmbeddingModel = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly (readonly number[])[]>;

const vectors = z.array(z.array(z.number()).min(1));
const workersAiAnswer = z.object({ data: vectors });
const openAiAnswer = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.number()).min(1) })),
});

export function workersAiEmbeddings(ai: AiLike, model: string): EmbeddingModel {
  return async (texts, signal) =>
    complete(workersAiAnswer.parse(await ai.run(model, { text: texts }, { signal })).data, texts);
}

export interface OpenAiEmbeddings {
  /** Without `/embeddings`. */
  readonly baseUrl: string;
  /** Null sends no `Authorization` header. */
  readonly apiKey: string | null;
  readonly model: string;
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
}

export function openAiEmbeddings({ baseUrl, apiKey, model, fetch }: OpenAiEmbeddings): EmbeddingModel {
  return async (texts, signal) => {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/embeddings`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the embedding model answered ${response.status}`);
    }
    const { data } = openAiAnswer.parse(await response.json());
    return complete(
      data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
      texts,
    );
  };
}

function complete<T>(found: readonly T[], texts: readonly string[]): readonly T[] {
  if (found.length !== texts.length)
    throw new Error(`the embedding model answered ${found.length} vectors for ${texts.length} texts`);
  return found;
}
