/** How long the instance keeps what, and where it goes before it is deleted. */
import { z } from "zod";
import { APPROVAL_RETENTION_DAYS, LOG_RETENTION_DAYS, TICK_RETENTION_DAYS } from "../limits.ts";
import { secretRef } from "./secrets.ts";

const MAX_DAYS = 36_500;

/** 0 keeps all. */
export const retentionDays = z.number().int().min(0).max(MAX_DAYS);

/** Days by table; messages have a key of their own, `agentMessageRetentionDays`. */
export const retentionSchema = z.strictObject({
  audit: retentionDays.default(0),
  receipts: retentionDays.default(0),
  notices: retentionDays.default(0),
  approvals: retentionDays.default(APPROVAL_RETENTION_DAYS),
  ticks: retentionDays.default(TICK_RETENTION_DAYS),
  logs: retentionDays.default(LOG_RETENTION_DAYS),
  /** Of chains all of whose tasks are finished for so long. */
  tasks: retentionDays.default(0),
});

/** What retention deletes, by the names of the config. */
export const KEPT_KINDS = [
  "messages",
  "audit",
  "receipts",
  "notices",
  "approvals",
  "ticks",
  "logs",
  "tasks",
] as const;
export type KeptKind = (typeof KEPT_KINDS)[number];

export const archiveSchema = z.strictObject({
  /** What is archived before it is deleted; the rest is deleted only. */
  tables: z.array(z.enum(KEPT_KINDS)).default([...KEPT_KINDS]),
});

export const mirrorSchema = z.strictObject({
  host: z.string().min(1).max(253),
  port: z.number().int().min(1).max(65_535).default(3_306),
  username: z.string().min(1).max(256),
  password: secretRef.exactOptional(),
  database: z.string().min(1).max(64),
  /** Missing: spoken to hosts beyond the own network. */
  tls: z.boolean().exactOptional(),
});

export type MirrorConfig = z.infer<typeof mirrorSchema>;

/** With a copy elsewhere, messages need not stay for ever. */
const DAYS_WITH_A_COPY = 180;

interface Kept {
  readonly agentMessageRetentionDays?: number;
  readonly retention: z.infer<typeof retentionSchema>;
  readonly archive?: z.infer<typeof archiveSchema>;
  readonly mirror?: MirrorConfig;
}

/** Days after which rows of this kind go; 0 keeps all. */
export function daysKept(instance: Kept, kind: KeptKind): number {
  if (kind !== "messages") return instance.retention[kind];
  const copied = instance.archive?.tables.includes("messages") === true || instance.mirror !== undefined;
  return instance.agentMessageRetentionDays ?? (copied ? DAYS_WITH_A_COPY : 0);
}
