import { DurableObject } from "cloudflare:workers";
import {
  acceptRun,
  awaitRun,
  cancelById,
  documentsRevision,
  endedResult,
  expireRun,
  isAtWork,
  isPaused,
  type RunState,
  recoverRuns,
  resultWithin,
  runState,
  setPaused,
  startConversation,
  storeDocuments,
  takeRevision,
} from "../core/agent/agent.ts";
import { callByHand, type HandCall, type HandCallResult } from "../core/agent/call-by-hand.ts";
import { Delivery } from "../core/agent/delivery.ts";
import { listen } from "../core/agent/listen.ts";
import {
  type AgentStatus,
  agentStatus,
  conversationView,
  type RunDetail,
  runDetail,
  type TurnView,
} from "../core/agent/views.ts";
import {
  AgentApprovals,
  type DecisionRequest,
  type DecisionResult,
} from "../core/approval/agent-approvals.ts";
import type { ChannelTransports } from "../core/channels/channel.ts";
import type { RunResult } from "../core/engine/run-result.ts";
import type { AcceptResult, Asked, Documents, ExpireResult, World } from "../core/engine/world.ts";
import type { RunEvent } from "../core/events.ts";
import { createHookSchema } from "../core/hooks/deliveries.ts";
import {
  type HookDelivery,
  type HookLock,
  hookLock,
  type TakenDelivery,
  takeDelivery,
} from "../core/hooks/take-delivery.ts";
import { AgentJobs, type RunNow } from "../core/jobs/agent-jobs.ts";
import { listJobs } from "../core/jobs/list-jobs.ts";
import type { JobView } from "../core/jobs/view.ts";
import { ownJson } from "../core/journal/database.ts";
import type { CancelRequest, NewRun } from "../core/journal/runs.ts";
import { createSchema } from "../core/journal/schema.ts";
import type { Registry } from "../core/registry.ts";
import type { Scrubber } from "../core/scrub/index.ts";
import { again } from "./again.ts";
import { agentWorld, type DocumentsCell } from "./agent-world.ts";
import type { Env } from "./env.ts";
import { KeepAlive } from "./keep-alive.ts";
import { eventStream } from "./run-stream.ts";
import { objectDatabase } from "./sqlite.ts";

/** So long an asker waits before its question counts as delivered and its answer as still to come. */
const QUICK_ANSWER_MS = 250;

/** What the Worker's entry gives to every agent's object. */
export interface AgentWiring {
  /** Both know every secret of the environment but the variables named; asked again when these change. */
  readonly registry: (env: Env, plainVars: readonly string[]) => Registry;
  readonly scrubber: (env: Env, plainVars: readonly string[]) => Scrubber;
  /** How channels are reached that speak a protocol of their own. */
  readonly transports: (env: Env) => ChannelTransports;
  /** May put something between the engine and its world; the product puts nothing there. */
  readonly around?: (world: World, ctx: DurableObjectState) => World;
  /** Milliseconds for which one alarm holds the object up; missing: a minute. */
  readonly holdMs?: number;
  /** Seconds that a tick of a tool job may take; missing: `JOB_SECONDS`. */
  readonly jobSeconds?: number;
}

/** One object per agent: its run gate, its conversation, its outbox. The Worker's entry derives its class from this. */
export class AgentBase extends DurableObject<Env> {
  readonly #world: World;
  readonly #documents: DocumentsCell = { current: null };
  readonly #delivery: Delivery;
  readonly #jobs: AgentJobs;
  readonly #approvals: AgentApprovals;
  readonly #keepAlive: KeepAlive;

  constructor(ctx: DurableObjectState, env: Env, wiring: AgentWiring) {
    super(ctx, env);
    const db = objectDatabase(ctx.storage);
    createSchema(db);
    createHookSchema(db);
    const world = agentWorld(
      {
        objectName: ctx.id.name ?? "unnamed",
        env,
        db,
        registry: (plainVars) => wiring.registry(env, plainVars),
        scrubber: (plainVars) => wiring.scrubber(env, plainVars),
        transports: wiring.transports(env),
        outboxFilled: () => this.#delivery.soon(() => this.#keepAlive.armForRetry()),
      },
      this.#documents,
    );
    this.#world = wiring.around?.(world, ctx) ?? world;
    this.#world.gate.setPaused(isPaused(this.#world));
    this.#delivery = new Delivery(this.#world);
    this.#jobs = new AgentJobs(this.#world, wiring.jobSeconds);
    this.#approvals = new AgentApprovals(this.#world);
    this.#keepAlive = new KeepAlive(ctx.storage, this.#world, {
      delivery: this.#delivery,
      jobs: this.#jobs,
      approvals: this.#approvals,
      version: env.CF_VERSION_METADATA?.id ?? null,
      ...(wiring.holdMs === undefined ? {} : { holdMs: wiring.holdMs }),
    });
    recoverRuns(this.#world);
    this.#approvals.resume();
    this.#keepAlive.armForJobs();
    this.#deliver();
  }

  /**
   * Puts documents in force from the next step on; null takes the agent out of service. What is older than
   * that `revision` of the directory changes nothing any more.
   */
  async configure(documents: Documents | null, revision: number): Promise<void> {
    if (!takeRevision(this.#world, "documents", revision)) return;
    const { current } = this.#documents;
    const newest = takeRevision(this.#world, "directory", revision) || documents === null || current === null;
    this.#putInForce(newest ? documents : { ...documents, directory: current.directory });
  }

  /** Tells who works here now; nothing else of the documents changes. */
  async setDirectory(directory: Documents["directory"], revision: number): Promise<void> {
    const { current } = this.#documents;
    if (!takeRevision(this.#world, "directory", revision) || current === null) return;
    this.#putInForce({ ...current, directory });
  }

  async accept(run: NewRun): Promise<AcceptResult> {
    const base = await this.#adoptDocuments();
    if (base === "paused") return { ok: false, code: "paused", reason: "the agent is paused by a person" };
    const accepted = acceptRun(this.#world, run);
    if (accepted.ok) this.#keepAlive.arm();
    return accepted;
  }

  /** Accepts a question; its answer comes along when it is quick, else `result` waits for it. */
  async ask(run: NewRun): Promise<Asked> {
    const accepted = await this.accept(run);
    if (!accepted.ok) return { accepted, result: null };
    const left = ((run.deadlineAt ?? Number.POSITIVE_INFINITY) - this.#world.now()) / 2;
    const result = await resultWithin(this.#world, run.runId, Math.min(QUICK_ANSWER_MS, left));
    return { accepted, result };
  }

  /** Waits for the run's end. */
  async result(runId: string): Promise<RunResult | null> {
    return awaitRun(this.#world, runId);
  }

  /** Accepts and waits, in one call. */
  async execute(
    run: NewRun,
  ): Promise<{ refused: Extract<AcceptResult, { ok: false }> } | { result: RunResult }> {
    const accepted = await this.accept(run);
    if (!accepted.ok) return { refused: accepted };
    const result = await this.result(run.runId);
    if (result === null) throw new Error(`Run ${run.runId} was lost`);
    return { result };
  }

  /** Accepts and streams the run's events as server-sent events; the run goes on when nobody reads any more. */
  async stream(
    run: NewRun,
  ): Promise<{ refused: Extract<AcceptResult, { ok: false }> } | { events: ReadableStream<Uint8Array> }> {
    const events = eventStream((listener: (event: RunEvent) => void) => {
      const accepted = acceptRun(this.#world, run);
      if (accepted.ok) listen(this.#world, run, listener);
      return accepted;
    });
    if (events.accepted.ok) this.#keepAlive.arm();
    return events.accepted.ok ? { events: events.readable } : { refused: events.accepted };
  }

  async expire(runId: string, request: CancelRequest): Promise<ExpireResult> {
    return expireRun(this.#world, runId, request);
  }

  async cancel(runId: string, request: CancelRequest): Promise<"cancelling" | "ended" | "unknown"> {
    if (cancelById(this.#world, runId, request)) return "cancelling";
    return endedResult(this.#world, runId) === null ? "unknown" : "ended";
  }

  /** As JSON, because the platform's types for calls between objects know no open records. */
  async documents(): Promise<string | null> {
    return this.#documents.current === null ? null : JSON.stringify(this.#documents.current);
  }

  /** What a fresh worker goes by. */
  async asBase(): Promise<{ documents: string | null; paused: boolean }> {
    return { documents: await this.documents(), paused: isPaused(this.#world) };
  }

  /** Begins the jobs that are due by then; answers by which documents, and when the next is. Waits for no job. */
  async runDueJobs(
    at: number,
    version: string | null,
  ): Promise<{ configured: boolean; revision: number; nextAt: number | null }> {
    this.#jobs.runDue({ at, secondsOnly: false, version });
    this.#keepAlive.armForJobs();
    return {
      configured: this.#documents.current !== null,
      revision: documentsRevision(this.#world),
      nextAt: this.#jobs.nextMinute(),
    };
  }

  /** Begins a job's tick now; the same mark again changes nothing. */
  async runJob(jobId: string, mark: string): Promise<RunNow> {
    const begun = this.#jobs.runNow(jobId, mark);
    this.#keepAlive.armForJobs();
    return begun;
  }

  /** How a webhook's calls are checked; null when there is none of that name. */
  async hookLock(name: string): Promise<HookLock | null | "not_configured"> {
    return this.#documents.current === null ? "not_configured" : hookLock(this.#world, name);
  }

  /** A webhook's call whose signature is right; the same again starts nothing. */
  async takeDelivery(delivery: HookDelivery): Promise<TakenDelivery> {
    const taken = takeDelivery(this.#world, delivery);
    if (taken.ok) this.#keepAlive.arm();
    return taken;
  }

  async jobs(): Promise<JobView[]> {
    return listJobs(this.#world);
  }

  /** One call of a tool by hand. Null for an agent without configuration. */
  async callTool(call: HandCall): Promise<HandCallResult | null> {
    return callByHand(this.#world, call);
  }

  /** Of a call that waits, whole. */
  async approvalArguments(approvalId: string): Promise<string | null> {
    return this.#approvals.argumentsOf(approvalId);
  }

  /** A person's decision on a call that waits, or that its time is over. */
  async decideApproval(request: DecisionRequest): Promise<DecisionResult> {
    await this.#adoptDocuments();
    this.#keepAlive.arm();
    return this.#approvals.decide(request);
  }

  async setPaused(paused: boolean): Promise<void> {
    this.#setPaused(paused);
  }

  async status(): Promise<AgentStatus> {
    return agentStatus(this.#world);
  }

  /** How a run stands, for the taskboard. */
  async runState(runId: string): Promise<RunState> {
    return runState(this.#world, runId);
  }

  async run(runId: string): Promise<RunDetail | null> {
    return runDetail(this.#world, runId);
  }

  async conversation(): Promise<{ turns: TurnView[] }> {
    return conversationView(this.#world);
  }

  async resetConversation(): Promise<void> {
    startConversation(this.#world);
  }

  override async alarm(): Promise<void> {
    await this.#keepAlive.stayUp();
  }

  /** A fresh worker (`<agent>@<task>`) works by its agent's documents as they are now, and takes nothing while that is paused. */
  async #adoptDocuments(): Promise<"paused" | "ready"> {
    const [agentId, task] = this.#world.objectName.split("@");
    if (agentId === undefined || task === undefined) return "ready";
    const base = await again(async () => this.env.AGENTS.get(this.env.AGENTS.idFromName(agentId)).asBase());
    if (base.paused) return "paused";
    if (base.documents !== null) this.#putInForce(ownJson<Documents>(base.documents));
    return "ready";
  }

  #putInForce(documents: Documents | null): void {
    const paused = documents?.agent.paused ?? false;
    if (paused !== this.#documents.current?.agent.paused) this.#setPaused(paused);
    storeDocuments(this.#world, documents);
    this.#documents.current = documents;
    this.#jobs.documentsChanged();
    this.#keepAlive.runJobs();
  }

  /** Queued runs that may go on again need the alarm. */
  #setPaused(paused: boolean): void {
    setPaused(this.#world, paused);
    if (isAtWork(this.#world)) this.#keepAlive.arm();
  }

  #deliver(): void {
    this.#delivery.kick().then(() => this.#keepAlive.armForRetry());
  }
}
