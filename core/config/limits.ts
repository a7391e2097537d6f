import { z } from "zod";

const seconds = (max: number, standard: number) => z.number().positive().max(max).default(standard);
const count = (max: number, standard: number) => z.number().int().min(1).max(max).default(standard);

/** What one run of the agent may take. Every limit has a default, so `{}` is a complete document. */
export const limitsSchema = z.strictObject({
  /** Model calls of a run. */
  steps: count(1_000, 20),
  /** A run's time, from its first step, over all invocations. */
  runSeconds: seconds(86_400, 900),
  /** One attempt of a model call; the run's own time bounds all of them together. */
  modelSeconds: seconds(600, 120),
  /** One tool call. */
  toolSeconds: seconds(600, 60),
  /** Runs that may wait at the gate; one more is answered 429. */
  queue: count(10_000, 100),
  /** Characters of tool results that flow into the context, per step. */
  toolResultChars: z.number().int().min(100).max(1_000_000).default(20_000),
  /** Time of an ask as this agent makes it, waiting included. */
  askSeconds: seconds(600, 60),
  /** Model calls of the run that answers this agent's ask. */
  askSteps: count(50, 5),
});
