import { z } from "zod";

/** How bytes are written in arguments and in answers. */
const binarySchema = z.strictObject({ $binary: z.base64() });

/** The bytes of `{"$binary": "base64"}`, or null when the value is something else. */
export function binaryOf(value: unknown): Buffer | null {
  const parsed = binarySchema.safeParse(value);
  return parsed.success ? Buffer.from(parsed.data.$binary, "base64") : null;
}

export function binaryText(bytes: Uint8Array): z.infer<typeof binarySchema> {
  return { $binary: Buffer.from(bytes).toString("base64") };
}
