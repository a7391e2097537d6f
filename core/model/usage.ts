/** Token counts as the various providers report them. Pure. */
import { z } from "zod";
import type { Usage } from "./types.ts";

const count = z.number().nonnegative().nullish().catch(null);
const usageFields = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  prompt_cache_hit_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
});

/**
 * Reads a `usage` object; null when it is missing, unreadable or all zero, for a call that cost nothing
 * does not exist. Cached tokens never exceed the input. Where a provider counts reasoning beside its output,
 * the total shows it, and the output is taken to be all of the total that is not input.
 */
export function parseUsage(value: unknown): Usage | null {
  // Most pieces of a stream have none, and to refuse is dearer than to parse.
  if (value === undefined || value === null) return null;
  const parsed = usageFields.safeParse(value);
  if (!parsed.success) return null;
  const fields = parsed.data;
  const input = fields.prompt_tokens ?? fields.input_tokens;
  const output = fields.completion_tokens ?? fields.output_tokens;
  if (input == null || output == null || input + output === 0) return null;
  const cached =
    fields.prompt_tokens_details?.cached_tokens ??
    fields.cached_tokens ??
    fields.prompt_cache_hit_tokens ??
    0;
  const outputTokens = Math.round(Math.max(output, (fields.total_tokens ?? 0) - input));
  return {
    inputTokens: Math.round(input),
    cachedInputTokens: Math.min(Math.round(cached), Math.round(input)),
    outputTokens,
    reasoningTokens: Math.min(
      Math.round(fields.completion_tokens_details?.reasoning_tokens ?? 0),
      outputTokens,
    ),
  };
}
