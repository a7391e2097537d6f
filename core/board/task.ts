/** A task and who acts on it. */
import type { Lane } from "../journal/runs.ts";
import type { tasks } from "./schema.ts";
import type { Priority } from "./vocabulary.ts";

export type TaskRow = Readonly<Omit<typeof tasks.$inferSelect, "guard">>;

export interface Stage {
  readonly title: string;
  readonly description: string;
  readonly assignee: string;
  readonly acceptance?: string | undefined;
}

export interface NewTask {
  readonly title: string;
  readonly description: string;
  readonly assignee: string;
  readonly acceptance?: string | undefined;
  readonly priority: Priority;
  readonly dueAt?: string | undefined;
  readonly stages: readonly Stage[];
  readonly parentTaskId?: string | undefined;
}

/** Who acts, and as what: stamped by the engine (L4). */
export interface Actor {
  /** An agent's id or @human. */
  readonly name: string;
  /** The acting agent's object; null for a person. */
  readonly objectName: string | null;
  readonly lane: Lane;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly depth: number;
  /** The task that the acting run works on. */
  readonly taskId: string | null;
}

/** Refusals that a model or a person can act on. */
export type BoardRefusalCode =
  | "no_such_task"
  | "not_yours"
  | "not_creator"
  | "lost_lease"
  | "wrong_status"
  | "already_over"
  | "busy"
  | "unknown_agent"
  | "not_colleague"
  | "depth"
  | "runs"
  | "tokens"
  | "cost"
  | "day"
  | "frozen"
  | "cancelled"
  | "not_enabled";

export type BoardResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: BoardRefusalCode; readonly reason: string };

export function refuse(code: BoardRefusalCode, reason: string): Extract<BoardResult<never>, { ok: false }> {
  return { ok: false, code, reason };
}
