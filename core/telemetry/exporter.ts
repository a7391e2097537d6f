/**
 * Tells the tracing backend of ended runs, beside everything else: a run waits for nothing here, and what the
 * backend does changes nothing but what it knows. What cannot be told within bounds is dropped and counted.
 */
import { backOffMs } from "../back-off.ts";
import type { TelemetryConfig } from "../config/telemetry.ts";
import type { Documents, World } from "../engine/world.ts";
import { describeError } from "../log.ts";
import { type OtlpBody, otlpBody } from "./otlp.ts";
import { clearUntold, createTelemetrySchema, dropUntold, hasUntold, untoldRuns } from "./queue.ts";
import { spansOfRun } from "./run-spans.ts";
import type { SendOutcome } from "./send.ts";
import type { Span } from "./span.ts";

/** One request. Never rejects. */
export type SendSpans = (config: TelemetryConfig, body: OtlpBody) => Promise<SendOutcome>;

/** Of one round. */
const BATCH_RUNS = 20;
/** Of one request; receivers take a few megabytes. */
const BATCH_SPANS = 200;
const BATCH_CHARS = 1_000_000;
/** More ended runs do not wait, and not for longer. */
const KEPT_RUNS = 500;
const KEPT_MS = 3_600_000;
const WAITS = { firstMs: 1_000, longestMs: 300_000 };

type Round = SendOutcome | "nothing";

export class TelemetryExporter {
  readonly #world: World;
  readonly #send: SendSpans;
  #running: Promise<void> | null = null;
  #failures = 0;
  #retryAt = 0;

  constructor(world: World, send: SendSpans) {
    this.#world = world;
    this.#send = send;
    createTelemetrySchema(world.db);
  }

  /** Starts telling what waits unless that is under way or has failed a moment ago. Resolves when it is over; never rejects. */
  kick(): Promise<void> {
    if (this.#running !== null) return this.#running;
    if (this.#world.now() < this.#retryAt || !hasUntold(this.#world.db)) return Promise.resolve();
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Epoch milliseconds of the next attempt while something waits after a failure; 0 when nothing does. */
  get retryAt(): number {
    return this.#failures > 0 && hasUntold(this.#world.db) ? this.#retryAt : 0;
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        const round = await this.#round();
        if (round === "nothing") return;
        if (!round.ok) {
          this.#putOff(round);
          return;
        }
        this.#failures = 0;
        if (round.rejected > 0) this.#warn(`has not kept ${round.rejected} spans`);
      }
    } catch (error) {
      this.#putOff({ ok: false, code: "busy", reason: describeError(error), retryAfterMs: null });
    }
  }

  #putOff(outcome: Extract<SendOutcome, { ok: false }>): void {
    const { now, random } = this.#world;
    this.#failures += 1;
    const asked = outcome.code === "busy" ? (outcome.retryAfterMs ?? 0) : 0;
    const wait = Math.max(asked, backOffMs(WAITS, this.#failures, random()));
    this.#retryAt = now() + Math.min(WAITS.longestMs, wait);
    if (this.#failures === 1 && outcome.code === "busy")
      this.#warn(`took no spans: ${outcome.reason}; it is tried again`);
  }

  async #round(): Promise<Round> {
    const { db } = this.#world;
    const documents = this.#world.documents();
    const config = documents?.instance.telemetry;
    if (documents === null || config === undefined) {
      this.#forget(Number.MAX_SAFE_INTEGER);
      return "nothing";
    }
    const bounds = { before: this.#world.now() - KEPT_MS, keep: KEPT_RUNS };
    const dropped = db.transaction(() => dropUntold(db, bounds));
    if (dropped > 0) this.#warn(`was away for too long: ${dropped} runs were dropped and will not be told`);
    const runs = untoldRuns(db, BATCH_RUNS);
    const last = runs.at(-1);
    if (last === undefined) return "nothing";
    const outcome = await this.#tell({ documents, config }, runs);
    if (outcome.ok || outcome.code === "refused") this.#forget(last.seq);
    if (!outcome.ok && outcome.code === "refused")
      this.#warn(`refused ${runs.length} runs, which were dropped: ${outcome.reason}`);
    return outcome;
  }

  /** A run that is told again, because a later part failed, has the same spans. */
  async #tell(told: Told, runs: readonly { readonly runId: string }[]): Promise<SendOutcome> {
    let batch = emptyBatch();
    let rejected = 0;
    for (const { runId } of runs)
      for await (const span of this.#spans(told, runId)) {
        batch.spans.push(span);
        batch.chars += JSON.stringify(span).length;
        if (batch.spans.length < BATCH_SPANS && batch.chars < BATCH_CHARS) continue;
        const outcome = await this.#post(told, batch);
        if (!outcome.ok) return outcome;
        rejected += outcome.rejected;
        batch = emptyBatch();
      }
    const outcome = await this.#post(told, batch);
    return outcome.ok ? { ok: true, rejected: rejected + outcome.rejected } : outcome;
  }

  /** A mistake of ours with one run must not hold up the others. */
  async *#spans({ documents, config }: Told, runId: string): AsyncGenerator<Span> {
    const { db, objectName, scrubber } = this.#world;
    const { sampleRatio, payloads } = config;
    try {
      yield* spansOfRun({ db, objectName, documents, scrubber, sampleRatio, payloads }, runId);
    } catch (error) {
      this.#world.runLog(runId).error("The run could not be told as spans", error);
    }
  }

  async #post({ documents, config }: Told, { spans }: Batch): Promise<SendOutcome> {
    if (spans.length === 0) return { ok: true, rejected: 0 };
    const { encoding } = config;
    const instanceId = this.#world.scrubber.scrub(documents.instance.id);
    return this.#send(config, otlpBody(spans, { instanceId, encoding }));
  }

  #forget(seq: number): void {
    const { db } = this.#world;
    db.transaction(() => clearUntold(db, seq));
  }

  #warn(what: string): void {
    this.#world.log.warn(`The telemetry endpoint ${what}`);
  }
}

interface Told {
  readonly documents: Documents;
  readonly config: TelemetryConfig;
}

interface Batch {
  readonly spans: Span[];
  chars: number;
}

function emptyBatch(): Batch {
  return { spans: [], chars: 0 };
}
