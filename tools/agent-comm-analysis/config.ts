import { z } from "zod";

export const configSchema = z.strictObject({
  /** Of messages' texts, in one result. */
  maxTextChars: z.number().int().min(200).max(15_000).default(6_000),
});
export type AnalysisConfig = z.infer<typeof configSchema>;
