/** What helps the analysis along: a model that tells how close questions are in meaning. */
import { z } from "zod";
import { httpAddressFault } from "./http-address.ts";
import { secretRef } from "./secrets.ts";

const name = z.string().min(1).max(200);

const embeddingSchema = z.discriminatedUnion("provider", [
  z.strictObject({ provider: z.literal("workers-ai"), name }),
  z.strictObject({
    provider: z.literal("openai"),
    name,
    /** Any compatible endpoint, without `/embeddings`; missing: OpenAI's own. */
    baseUrl: z
      .string()
      .max(2_000)
      .superRefine((text, context) => {
        const fault = httpAddressFault(text, "apiKey with a reference");
        if (fault !== null) context.addIssue({ code: "custom", message: fault });
      })
      .exactOptional(),
    /** Missing: no key is sent. */
    apiKey: secretRef.exactOptional(),
  }),
]);

export const analysisSchema = z.strictObject({
  /** Missing: questions are compared by their words alone. */
  embedding: embeddingSchema.exactOptional(),
});
