/** The `model` part of an agent's config. */
import { z } from "zod";
import { parseScenario } from "../model/scenario.ts";
import { httpAddressFault } from "./http-address.ts";
import { secretRef } from "./secrets.ts";

const MAX_SCRIPT_CHARS = 500_000;

const dollars = z.number().min(0).max(1_000_000);

/** The agent's own price in US dollars per million tokens; wins over the price table. */
const priceSchema = z.strictObject({
  inputPerMTok: dollars,
  /** Missing: cached input costs what input costs. */
  cachedInputPerMTok: dollars.exactOptional(),
  outputPerMTok: dollars,
});

const shared = {
  /** Tokens that fit into the model's context; compaction starts below it. */
  contextTokens: z.number().int().min(1_000).max(100_000_000).default(128_000),
  price: priceSchema.exactOptional(),
};

const modelName = z.string().min(1).max(200);

const openaiModel = z.strictObject({
  provider: z.literal("openai"),
  name: modelName,
  /** Any compatible endpoint; missing: OpenAI's own. */
  baseUrl: z
    .string()
    .max(2_000)
    .superRefine((text, context) => {
      const fault = httpAddressFault(text, "apiKey with a reference");
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    })
    .exactOptional(),
  /** Missing: no key is sent, as local servers want it. */
  apiKey: secretRef.exactOptional(),
  ...shared,
});

const workersAiModel = z.strictObject({ provider: z.literal("workers-ai"), name: modelName, ...shared });

const scriptedModel = z.strictObject({
  provider: z.literal("scripted"),
  name: modelName.default("scripted"),
  /** The text of a scenario, as JSON; missing: the model answers something sane. */
  script: z.string().max(MAX_SCRIPT_CHARS).superRefine(checkScenario).exactOptional(),
  ...shared,
});

export const modelSchema = z.discriminatedUnion("provider", [openaiModel, workersAiModel, scriptedModel]);

function checkScenario(text: string, context: z.RefinementCtx) {
  if (text.length > MAX_SCRIPT_CHARS) return;
  const parsed = parseScenario(text);
  for (const { path, message } of parsed.ok ? [] : parsed.issues) {
    const place = path === "" ? "" : ` at ${path}`;
    context.addIssue({ code: "custom", message: `Not a scenario${place}: ${message}` });
  }
}
