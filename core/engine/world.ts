/** What the engine needs of the world around one agent. Everything it awaits goes through here. */

import type { Board } from "../board/board.ts";
import type { Admission, ChainLimits, RunSpent, Spending } from "../chain/budget.ts";
import type { Member } from "../chain/members.ts";
import type { Delivery } from "../channels/channel.ts";
import type { DeliverInput } from "../channels/deliver.ts";
import type { AgentConfig } from "../config/agent.ts";
import type { InstanceConfig } from "../config/instance.ts";
import type { MailPort } from "../email/transport.ts";
import type { LiveEvent } from "../events.ts";
import type { Gate } from "../gate/gate.ts";
import type { DaySpent } from "../hub/day-ledger.ts";
import type { Database } from "../journal/database.ts";
import type { CancelRequest, NewRun } from "../journal/runs.ts";
import type { Logger } from "../log.ts";
import type { Price, PriceInput } from "../model/price.ts";
import type { ModelClient } from "../model/types.ts";
import type { GuardedFetch } from "../outbound/guarded-fetch.ts";
import type { ReceiptRow, RecordRows } from "../record/rows.ts";
import type { Registry } from "../registry.ts";
import type { Scrubber } from "../scrub/index.ts";
import type { SpanScope } from "../telemetry/scope.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Conversation } from "./conversation.ts";
import type { RunResult } from "./run-result.ts";

/** A colleague as others see it. */
export interface DirectoryEntry {
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
}

/** The documents an agent works by, handed over at each config change. */
export interface Documents {
  readonly agent: AgentConfig;
  readonly instance: InstanceConfig;
  readonly directory: readonly DirectoryEntry[];
}

/** The chain's object. Each call may reject when it cannot be reached. */
export interface ChainPort {
  /**
   * Registers a run that is about to be sent to a colleague, and takes what the asking run has spent so far; null
   * where that run is not at hand.
   * Doing it twice changes nothing.
   */
  admit(member: Member, limits: ChainLimits, asker: RunSpent | null): Promise<Admission>;
  /** Asks whether the member may make one more model call; registers it when it is new. */
  permit(member: Member, spent: Spending, limits: ChainLimits): Promise<Permit>;
  /** Closes members with their receipts; idempotent. */
  settle(closed: readonly SettledRun[]): Promise<void>;
  /** Forgets a member that its agent refused. */
  remove(runId: string): Promise<void>;
}

export type Permit =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: Extract<Admission, { ok: false }>["code"];
      readonly reason: string;
      /** Which freeze of the chain this is; its notice is told once. Null when the chain is not frozen by this. */
      readonly freeze: number | null;
    };

export interface SettledRun {
  readonly member: Member;
  readonly receipt: ReceiptRow;
}

/** The instance's spending of the day. */
export interface DayPort {
  /** Tells what a run has spent so far and asks whether the day's ceiling is reached. */
  permit(runId: string, costMicros: number, limits: { readonly costUsd: number }): Promise<Admission>;
  /** Takes note of what a run has cost in the end, for the time until that is settled. */
  ended(run: DaySpent): void;
  /** Writes down what ended runs have cost; idempotent. */
  settle(runs: readonly DaySpent[]): Promise<void>;
}

export type AcceptResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: "queue_full" | "paused" | "not_configured";
      readonly reason: string;
    };

/** Another agent's object. Each call may reject when it cannot be reached; all are safe to repeat. */
export interface ColleaguePort {
  /** Hands a question over; the answer comes along when it is quick. */
  ask(run: NewRun): Promise<Asked>;
  /** Waits for the run's end. Null when that object never accepted it. */
  result(runId: string): Promise<RunResult | null>;
  /** Ends the run if it is not over. */
  expire(runId: string, request: CancelRequest): Promise<ExpireResult>;
}

export interface Asked {
  readonly accepted: AcceptResult;
  /** Null when there is none yet. */
  readonly result: RunResult | null;
}

export interface ExpireResult {
  /** Whether that object had accepted the run at all. */
  readonly accepted: boolean;
  /** What the latest failed model attempt said, if no later one has worked. */
  readonly trouble: string | null;
  /** How it had ended before, if it had. */
  readonly result: RunResult | null;
}

export interface World {
  /** The agent object's name: the agent's id, or that of a fresh worker (`<agent>@<task>`). */
  readonly objectName: string;
  readonly db: Database;
  readonly gate: Gate;
  /** Runs that are not over, by id. */
  readonly active: Map<string, ActiveRun>;
  readonly registry: Registry;
  readonly scrubber: Scrubber;
  readonly price: (input: PriceInput) => Price;
  readonly log: Logger;
  readonly now: () => number;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly newRunId: (objectName: string) => string;
  /** Resolves after that time or as soon as the signal aborts; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Null until the agent has been configured. */
  readonly documents: () => Documents | null;
  readonly conversation: () => Conversation;
  /** Throws with a readable message when a secret is missing. */
  readonly modelClient: (agent: AgentConfig) => ModelClient;
  /** A tool's config for this agent with secrets filled in. Throws with a readable message when one is missing. */
  readonly toolConfig: (agent: AgentConfig, tool: string) => unknown;
  /** As `log`, of one run. */
  readonly runLog: (runId: string) => Logger;
  readonly toolLog: (tool: string, runId: string) => Logger;
  /** Resolves once the lines that were gathered are written, or could not be; never rejects. */
  readonly flushLog: () => Promise<void>;
  /** The platform's own; tools and channels get a guarded one. */
  readonly fetch: GuardedFetch;
  /** One attempt to send to a channel of the instance. Never rejects. */
  readonly channels: (input: DeliverInput) => Promise<Delivery>;
  /** Mail in the instance's name. */
  readonly mail: MailPort;
  readonly chain: (rootRunId: string) => ChainPort;
  readonly day: DayPort;
  readonly colleague: (agentId: string) => ColleaguePort;
  readonly board: Board;
  /** Spans of the runtime's own tracing. */
  readonly span: SpanScope;
  /** Writes rows of the record in one D1 batch; rejects when it could not. Idempotent. */
  readonly writeRecord: (rows: RecordRows) => Promise<void>;
  /** Tells the live feed; never rejects. */
  readonly publish: (events: readonly LiveEvent[]) => void;
  /** Tells that rows wait in the outbox; `othersWait`: the chain or the taskboard for the end of a run. */
  readonly outboxFilled: (othersWait?: boolean) => void;
}

/** The agent's id as the record shows it: a fresh worker appears under its agent's. */
export function agentIdOf(world: Pick<World, "documents" | "objectName">): string {
  return world.documents()?.agent.agentId ?? world.objectName;
}

const DEFAULT_RESULT_CHARS = 20_000;

/** Characters of a text, or of one step's results, that flow into a context; there may be no documents any more. */
export function resultChars(world: Pick<World, "documents">): number {
  return world.documents()?.agent.limits.toolResultChars ?? DEFAULT_RESULT_CHARS;
}
