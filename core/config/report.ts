/** The `instance.report` part of the config: figures that come to a channel by themselves. */
import { z } from "zod";
import { needsSeconds } from "../jobs/cron.ts";
import { httpAddressFault } from "./http-address.ts";
import { type ConfigIssue, issueAt, type Path } from "./issues.ts";
import { fieldOf, textOf } from "./raw.ts";
import { cronSchema } from "./time.ts";

const REPORT_LANGUAGES = ["en", "de"] as const;

export const reportSchema = z.strictObject({
  /** A name among the instance's channels. */
  channel: z.string().min(1).max(63),
  /** In the instance's time zone. */
  cron: cronSchema
    .refine((expression) => !needsSeconds(expression), "A report is made at full minutes only")
    .default("0 7 * * 1"),
  /** How many days a report is about; it compares them with as many before. */
  days: z.number().int().min(1).max(92).default(7),
  language: z.enum(REPORT_LANGUAGES).default("en"),
  /** Where people open the viewer; missing: a report holds no link. */
  viewerUrl: z
    .string()
    .max(500)
    .superRefine((address, context) => {
      const fault = httpAddressFault(address, "the viewer's login");
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    })
    .exactOptional(),
});

export type ReportConfig = z.infer<typeof reportSchema>;

/** A channel that the instance does not have. `instance` as it was written. */
export function reportIssues(instance: unknown, path: Path): ConfigIssue[] {
  const channel = textOf(fieldOf(fieldOf(instance, "report"), "channel"));
  const known = channel === null || fieldOf(fieldOf(instance, "channels"), channel) !== undefined;
  return known ? [] : [issueAt([...path, "report", "channel"], "Names no entry of channels")];
}
