/** Where the instance tells of its runs, as OpenTelemetry spans. */
import { z } from "zod";
import { httpAddressFault } from "./http-address.ts";
import { secretRef } from "./secrets.ts";

const MAX_HEADERS = 20;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** What the exporter or the connection sets itself. */
const RESERVED = /^(content-(type|length|encoding)|host|connection|transfer-encoding)$/i;

const headerName = z
  .string()
  .regex(HEADER, "Must be the name of an HTTP header")
  .refine((name) => !RESERVED.test(name), "Is set by the exporter itself");

export const telemetrySchema = z.strictObject({
  /** Base address of an OTLP/HTTP receiver; `/v1/traces` is added unless it ends so. */
  endpoint: z
    .string()
    .max(2_000)
    .superRefine((text, context) => {
      const fault = httpAddressFault(text, "headers with references") ?? tailFault(text);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    }),
  headers: z
    .record(headerName, secretRef)
    .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `At most ${MAX_HEADERS}`)
    .default({}),
  encoding: z.enum(["json", "protobuf"]).default("json"),
  /** Messages, arguments and results too; masked and cut. */
  payloads: z.boolean().default(false),
  /** The part of all chains that is told, 0 to 1; a chain is told whole or not at all. */
  sampleRatio: z.number().min(0).max(1).default(1),
});

export type TelemetryConfig = z.infer<typeof telemetrySchema>;

function tailFault(text: string): string | null {
  return /[?#]/.test(text) ? "Must have no query and no fragment; keys belong into headers" : null;
}
