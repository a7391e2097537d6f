/** One agent's config document. */
import { z } from "zod";
import { isAgentId } from "../ids.ts";
import { MAX_NAMED_ENTRIES } from "./instance.ts";
import { scheduleSchema, toolJobSchema } from "./jobs.ts";
import { limitsSchema } from "./limits.ts";
import { modelSchema } from "./model.ts";
import { timeZoneSchema } from "./time.ts";
import { webhooksSchema } from "./webhooks.ts";

export const MAX_AGENTS = 500;
const MAX_PROMPT_CHARS = 100_000;

/** Stands for the instance's own document wherever one of the documents is named: commands, the log of administration. */
const RESERVED_ID = "instance";

const agentIdSchema = z
  .string()
  .refine(isAgentId, "Must match [a-z0-9][a-z0-9_-]{0,62}")
  .refine((id) => id !== RESERVED_ID, "Is what the instance's own document is called; take another one");

const toolsSchema = z
  .record(z.string().min(1).max(64), z.record(z.string(), z.unknown()))
  .refine((tools) => Object.keys(tools).length <= MAX_NAMED_ENTRIES, `At most ${MAX_NAMED_ENTRIES} tools`);

/** The shape of an agent's document; what its tools make of their parts is checked against the registry. */
export const agentSchema = z
  .strictObject({
    agentId: agentIdSchema,
    /** Missing: the agentId. */
    name: z.string().min(1).max(200).exactOptional(),
    /** What colleagues read when they choose whom to ask. */
    description: z.string().max(2_000).default(""),
    systemPrompt: z.string().max(MAX_PROMPT_CHARS),
    model: modelSchema,
    limits: limitsSchema.prefault({}),
    /** Missing: the instance's. */
    timeZone: timeZoneSchema.exactOptional(),
    paused: z.boolean().default(false),
    /** Whom it may ask or give tasks to; `*` is everybody, an empty list nobody. */
    colleagues: z
      .array(z.string().refine((id) => id === "*" || isAgentId(id), "Must be an agentId or *"))
      .max(MAX_AGENTS)
      .default([]),
    tools: toolsSchema.default({}),
    scheduler: z.array(scheduleSchema).max(MAX_NAMED_ENTRIES).default([]),
    toolJobs: z.array(toolJobSchema).max(MAX_NAMED_ENTRIES).default([]),
    webhooks: webhooksSchema.exactOptional(),
  })
  .transform((agent) => ({ ...agent, name: agent.name ?? agent.agentId }));

export type AgentConfig = z.infer<typeof agentSchema>;
