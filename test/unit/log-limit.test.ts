import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOG_LINES_PER_MINUTE, LOG_LINES_PER_RUN } from "../../core/limits.ts";
import type { LogLine } from "../../core/log.ts";
import { LogBuffer } from "../../core/record/log-buffer.ts";
import { LogLimit } from "../../core/record/log-limit.ts";

const MINUTE = 60_000;

function line(text: string, over: Partial<LogLine> = {}): LogLine {
  return {
    at: "2026-10-01T08:00:00.000Z",
    module: "Tool_X",
    level: "info",
    agentId: "a",
    runId: null,
    text,
    ...over,
  };
}

describe("the limit on log lines", () => {
  it("leaves lines over a minute's number out and says once how many", () => {
    const limit = new LogLimit();
    const kept = Array.from({ length: LOG_LINES_PER_MINUTE + 30 }, (_, n) =>
      limit.admit(line(`${n}`), MINUTE + n),
    );
    expect(kept.flat()).toHaveLength(LOG_LINES_PER_MINUTE);
    expect(limit.note(MINUTE + 59_999)).toEqual([]);
    const next = limit.admit(line("later"), 2 * MINUTE);
    expect(next.map(({ text }) => text)).toEqual([expect.stringMatching(/^30 more lines/), "later"]);
    expect(limit.note(9 * MINUTE)).toEqual([]);
  });

  it("leaves lines of one run over its number out, over the minutes, and goes on with another", () => {
    const limit = new LogLimit();
    const kept = Array.from({ length: LOG_LINES_PER_RUN + 50 }, (_, n) =>
      limit.admit(line(`${n}`, { runId: "a.run" }), n * 2_000),
    );
    expect(kept.flat().filter(({ runId }) => runId === "a.run")).toHaveLength(LOG_LINES_PER_RUN);
    expect(limit.admit(line("x", { runId: "a.other" }), 40 * MINUTE).at(-1)?.text).toBe("x");
  });

  it("keeps no debug lines", () => {
    expect(new LogLimit().admit(line("x", { level: "debug" }), 0)).toEqual([]);
  });

  it("property: whatever is logged when, each line is kept or counted, and no minute has more than its number", () => {
    const steps = fc.array(fc.tuple(fc.nat(3_000), fc.nat(3)), { minLength: 1, maxLength: 900 });
    fc.assert(
      fc.property(steps, (made) => {
        const limit = new LogLimit();
        const perMinute = new Map<number, number>();
        let now = 0;
        let kept = 0;
        let counted = 0;
        const take = (lines: readonly LogLine[]) => {
          for (const { text } of lines) {
            const left = /^(\d+) more lines/.exec(text)?.[1];
            if (left !== undefined) counted += Number(left);
            else kept += 1;
            if (left === undefined) perMinute.set(at(), (perMinute.get(at()) ?? 0) + 1);
          }
        };
        const at = () => Math.floor(now / MINUTE);
        for (const [ms, run] of made) {
          now += ms;
          take(limit.admit(line("x", { runId: `r${run}` }), now));
        }
        now += MINUTE;
        take(limit.note(now));
        expect(kept + counted).toBe(made.length);
        expect(Math.max(...perMinute.values())).toBeLessThanOrEqual(LOG_LINES_PER_MINUTE);
      }),
      { numRuns: 50 },
    );
  });
});

describe("lines on their way to D1", () => {
  function buffered(write: (lines: readonly LogLine[]) => Promise<void>, sharedLimit?: LogLimit) {
    const timers: { readonly ms: number; readonly work: () => void }[] = [];
    const failures: unknown[] = [];
    let now = 0;
    const buffer = new LogBuffer({
      write,
      failed: (error) => failures.push(error),
      now: () => now,
      later: (ms, work) => timers.push({ ms, work }),
      ...(sharedLimit === undefined ? {} : { sharedLimit }),
    });
    const fire = async () => {
      const timer = timers.shift();
      now += timer?.ms ?? 0;
      timer?.work();
      await new Promise(setImmediate);
    };
    return { buffer, timers, failures, fire };
  }

  it("go in one batch, and nothing is awaited or armed while nobody logs", async () => {
    const batches: (readonly LogLine[])[] = [];
    const { buffer, timers, fire } = buffered(async (lines) => void batches.push(lines));
    expect(timers).toHaveLength(0);
    for (const text of ["one", "two", "three"]) buffer.add(line(text));
    expect(timers).toHaveLength(1);
    await fire();
    expect(batches.map((lines) => lines.map(({ text }) => text))).toEqual([["one", "two", "three"]]);
    expect(timers).toHaveLength(0);
  });

  it("go along with a batch that is written anyway, and by themselves when that fails", async () => {
    const alone: string[] = [];
    const { buffer, fire } = buffered(async (lines) => void alone.push(...lines.map(({ text }) => text)));
    buffer.add(line("one"));
    expect(await buffer.ride(async (lines) => lines.map(({ text }) => text))).toEqual(["one"]);
    await fire();
    expect(alone).toEqual([]);
    buffer.add(line("two"));
    await expect(buffer.ride(() => Promise.reject(new Error("D1 is away")))).rejects.toThrow("D1 is away");
    await fire();
    expect(alone).toEqual(["two"]);
  });

  it("tell what was left out when the minute is over, though nobody logs any more", async () => {
    const batches: (readonly LogLine[])[] = [];
    const { buffer, timers, fire } = buffered(async (lines) => void batches.push(lines));
    for (let n = 0; n < LOG_LINES_PER_MINUTE + 5; n += 1) buffer.add(line(`${n}`));
    await fire();
    await fire();
    expect(batches.map((lines) => lines.length)).toEqual([LOG_LINES_PER_MINUTE, 1]);
    expect(batches[1]?.[0]?.text).toMatch(/^5 more lines/);
    expect(timers).toHaveLength(0);
  });

  it("of several requests have one limit, and none of these waits for the minute's end to tell what was left out", async () => {
    const batches: (readonly LogLine[])[] = [];
    const limit = new LogLimit();
    const write = async (lines: readonly LogLine[]) => void batches.push(lines);
    const [storm, next] = [buffered(write, limit), buffered(write, limit)];
    for (let n = 0; n < LOG_LINES_PER_MINUTE + 5; n += 1) storm.buffer.add(line(`${n}`));
    next.buffer.add(line("one more"));
    await storm.fire();
    expect(batches.map((lines) => lines.length)).toEqual([LOG_LINES_PER_MINUTE]);
    expect([storm.timers, next.timers]).toEqual([[], []]);
  });

  it("are given up when they cannot be written: told once, not tried again", async () => {
    let tries = 0;
    const { buffer, timers, failures, fire } = buffered(async () => {
      tries += 1;
      throw new Error("D1 is away");
    });
    buffer.add(line("one"));
    await fire();
    expect([tries, failures.length, timers.length]).toEqual([1, 1, 0]);
  });
});
