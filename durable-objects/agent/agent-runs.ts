import {
  acceptRun,
  awaitRun,
  cancelById,
  endedResult,
  expireRun,
  type RunState,
  resultWithin,
  runState,
} from "../../core/agent/agent.ts";
import { joinChain } from "../../core/agent/join-chain.ts";
import { type RunDetail, runDetail } from "../../core/agent/views.ts";
import type { RunResult } from "../../core/engine/run-result.ts";
import type { AcceptResult, Asked, ExpireResult } from "../../core/engine/world.ts";
import type { CancelRequest, NewRun } from "../../core/journal/runs.ts";
import { runEvents } from "../run-stream.ts";
import { AgentDocuments } from "./agent-documents.ts";
import { adoptDocuments } from "./documents.ts";

/** So long an asker waits before its question counts as delivered and its answer as still to come. */
const QUICK_ANSWER_MS = 250;

type Refused = { refused: Extract<AcceptResult, { ok: false }> };

/** Its runs: taken, waited for, ended, shown. */
export abstract class AgentRuns extends AgentDocuments {
  async accept(run: NewRun): Promise<AcceptResult> {
    const base = await adoptDocuments(this.parts, this.env);
    if (base === "paused") return { ok: false, code: "paused", reason: "the agent is paused by a person" };
    const accepted = acceptRun(this.parts.world, run);
    if (accepted.ok) this.parts.keepAlive.arm();
    return accepted;
  }

  /** Accepts a question; its answer comes along when it is quick, else `result` waits for it. */
  async ask(run: NewRun): Promise<Asked> {
    const accepted = await this.accept(run);
    if (!accepted.ok) return { accepted, result: null };
    const { world } = this.parts;
    const left = ((run.deadlineAt ?? Number.POSITIVE_INFINITY) - world.now()) / 2;
    const result = await resultWithin(world, run.runId, Math.min(QUICK_ANSWER_MS, left));
    return { accepted, result };
  }

  /** Waits for the run's end. */
  async result(runId: string): Promise<RunResult | null> {
    return awaitRun(this.parts.world, runId);
  }

  /** Accepts and waits, in one call. */
  async execute(run: NewRun): Promise<Refused | { result: RunResult }> {
    const accepted = await this.accept(run);
    if (!accepted.ok) return { refused: accepted };
    const result = await this.result(run.runId);
    if (result === null) throw new Error(`Run ${run.runId} was lost`);
    return { result };
  }

  /** Accepts and streams the run's events as server-sent events; the run goes on when nobody reads any more. */
  async stream(run: NewRun): Promise<Refused | { events: ReadableStream<Uint8Array> }> {
    const events = runEvents(this.parts.world, run);
    if (events.accepted.ok) this.parts.keepAlive.arm();
    return events.accepted.ok ? { events: events.readable } : { refused: events.accepted };
  }

  async expire(runId: string, request: CancelRequest): Promise<ExpireResult> {
    return expireRun(this.parts.world, runId, request);
  }

  async cancel(runId: string, request: CancelRequest): Promise<"cancelling" | "ended" | "unknown"> {
    if (cancelById(this.parts.world, runId, request)) return "cancelling";
    return endedResult(this.parts.world, runId) === null ? "unknown" : "ended";
  }

  /** From here on the chain's object keeps the books of the run's chain, and reaches all that is under way in it. */
  async joinChain(runId: string): Promise<void> {
    await joinChain(this.parts.world, runId);
  }

  async run(runId: string): Promise<RunDetail | null> {
    return runDetail(this.parts.world, runId);
  }

  /** How a run stands, for the taskboard. */
  async runState(runId: string): Promise<RunState> {
    return runState(this.parts.world, runId);
  }
}
