/** The `instance` part of the config: what holds for the whole deployment. */
import { z } from "zod";
import { isAllowEntry } from "../outbound/address-policy.ts";
import { accessSchema } from "./access.ts";
import { analysisSchema } from "./analysis.ts";
import { channelSchema } from "./channels.ts";
import { emailSchema } from "./email.ts";
import { reportSchema } from "./report.ts";
import { archiveSchema, mirrorSchema, retentionDays, retentionSchema } from "./retention.ts";
import { telemetrySchema } from "./telemetry.ts";
import { timeZoneSchema } from "./time.ts";

export const MAX_NAMED_ENTRIES = 100;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** A name that a person gives to a channel, a schedule or a job. */
export const givenName = z
  .string()
  .regex(NAME, "Must be 1 to 63 letters, digits, _ or -, starting with a letter or digit");

const perChainSchema = z.strictObject({
  runs: z.number().int().min(1).max(1_000_000).default(100),
  depth: z.number().int().min(1).max(1_000).default(8),
  /** US dollars. */
  costUsd: z.number().min(0).max(1_000_000).default(5),
  tokens: z.number().int().min(1).max(1_000_000_000_000).default(2_000_000),
});

const perDaySchema = z.strictObject({
  /** US dollars of the whole instance, per UTC day. */
  costUsd: z.number().min(0).max(1_000_000).default(50),
});

const outboundSchema = z.strictObject({
  /** Hosts, as `host` or `host:port`, that may be reached although they are local or not encrypted. */
  allow: z
    .array(z.string().max(300).refine(isAllowEntry, "Must be a host or host:port, without scheme and path"))
    .max(MAX_NAMED_ENTRIES)
    .default([]),
});

export const instanceSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "Must match [a-z0-9][a-z0-9_-]{0,62}"),
  timeZone: timeZoneSchema.default("UTC"),
  /** 0 keeps all. Missing: all, or 180 days once there is an archive or a mirror, see `daysKept`. */
  agentMessageRetentionDays: retentionDays.exactOptional(),
  retention: retentionSchema.prefault({}),
  /** Missing: what retention deletes is gone. */
  archive: archiveSchema.exactOptional(),
  /** Missing: the record is copied nowhere. */
  mirror: mirrorSchema.exactOptional(),
  perChain: perChainSchema.prefault({}),
  perDay: perDaySchema.prefault({}),
  siltedAfterHours: z.number().positive().max(100_000).default(48),
  /** Missing: the analysis compares words alone. */
  analysis: analysisSchema.exactOptional(),
  /** Environment strings that are no secrets and stay readable in the record. */
  plainVars: z.array(z.string().min(1).max(128)).max(1_000).default([]),
  channels: z
    .record(givenName, channelSchema)
    .refine((channels) => Object.keys(channels).length <= MAX_NAMED_ENTRIES, `At most ${MAX_NAMED_ENTRIES}`)
    .default({}),
  /** Missing: nothing local is reached. */
  outbound: outboundSchema.exactOptional(),
  /** Missing: nobody comes in through Cloudflare Access. */
  access: accessSchema.exactOptional(),
  /** The channel that gets what a person should know; missing: only the list of notices. */
  notices: givenName.exactOptional(),
  /** Missing: no report is made. */
  report: reportSchema.exactOptional(),
  /** Missing: no mail is taken. */
  email: emailSchema.exactOptional(),
  /** Missing: nothing is sent. */
  telemetry: telemetrySchema.exactOptional(),
});

export type InstanceConfig = z.infer<typeof instanceSchema>;
