import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Gate } from "../../../core/gate/gate.ts";
import { chooseNext, type GateEntry } from "../../../core/gate/policy.ts";

const entry = (runId: string, more: Partial<GateEntry> = {}): GateEntry => ({
  runId,
  isAnswer: false,
  priority: 0,
  seq: 0,
  started: false,
  ...more,
});
const OPEN = { mainOpen: false, paused: false };
const chosen = (...args: Parameters<typeof chooseNext>) => chooseNext(...args)?.runId ?? null;

const anyEntries = fc
  .array(
    fc.record({
      isAnswer: fc.boolean(),
      priority: fc.integer({ min: 0, max: 3 }),
      started: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((entries) => entries.map((more, seq) => entry(`run${seq}`, { ...more, seq })));
const anyState = fc.record({ mainOpen: fc.boolean(), paused: fc.boolean() });

describe("who passes the gate next", () => {
  it("L1: property: lets no other main run begin while one is open", () => {
    fc.assert(
      fc.property(anyEntries, fc.boolean(), (entries, paused) => {
        const next = chooseNext(entries, { mainOpen: true, paused });
        expect(next === null || next.isAnswer || next.started).toBe(true);
      }),
    );
  });

  it("L1: property: puts answers first, then a run under way, then priority, then arrival", () => {
    const rank = (item: GateEntry) => [item.isAnswer ? 0 : 1, item.started ? 0 : 1, -item.priority, item.seq];
    const goesBefore = (a: GateEntry, b: GateEntry) => {
      const at = rank(a).findIndex((part, index) => part !== rank(b)[index]);
      return at >= 0 && (rank(a)[at] ?? 0) < (rank(b)[at] ?? 0);
    };
    fc.assert(
      fc.property(anyEntries, anyState, (entries, state) => {
        const next = chooseNext(entries, state);
        const allowed = entries.filter((item) => chooseNext([item], state) !== null);
        expect(next === null).toBe(allowed.length === 0);
        if (next !== null) expect(allowed.filter((item) => goesBefore(item, next))).toEqual([]);
      }),
    );
  });

  it("L1: serves runs of one kind and priority in the order in which they came", () => {
    const waiting = [entry("third", { seq: 3 }), entry("first", { seq: 1 }), entry("second", { seq: 2 })];
    expect(chosen(waiting, OPEN)).toBe("first");
    expect(chosen([...waiting, entry("urgent", { seq: 9, priority: 1 })], OPEN)).toBe("urgent");
  });

  it("holds back what has not started while paused, and lets a run under way go on", () => {
    const paused = { mainOpen: false, paused: true };
    expect(chosen([entry("new"), entry("question", { isAnswer: true })], paused)).toBeNull();
    expect(chosen([entry("new"), entry("open", { started: true })], paused)).toBe("open");
  });

  it("lets nobody in when nobody waits", () => {
    expect(chosen([], OPEN)).toBeNull();
  });
});

/** What runs do at a gate, in any order: come, hand it over, come back, end. */
const anyActs = fc.array(
  fc.record({ act: fc.constantFrom("enter", "lend", "leave", "withdraw"), run: fc.nat({ max: 7 }) }),
  { maxLength: 80 },
);

describe("the gate", () => {
  it("L1: property: has one holder at most and one open main run at most, whatever runs do", async () => {
    await fc.assert(
      fc.asyncProperty(anyActs, async (acts) => {
        const gate = new Gate();
        const executing = new Set<string>();
        const openMains = new Set<string>();
        const state = new Map<string, "waiting" | "in" | "out">();
        for (const { act, run } of acts) {
          const runId = `run${run}`;
          const isAnswer = run % 2 === 1;
          const is = state.get(runId);
          if (act === "enter" && (is === undefined || is === "out")) {
            state.set(runId, "waiting");
            void gate.enter(entry(runId, { isAnswer, seq: run, started: is === "out" })).then((admitted) => {
              if (!admitted) return void state.delete(runId);
              state.set(runId, "in");
              executing.add(runId);
              if (!isAnswer) openMains.add(runId);
            });
          }
          if (act === "lend" && is === "in") {
            executing.delete(runId);
            state.set(runId, "out");
            gate.lend(runId);
          }
          if (act === "leave" && is === "in") {
            executing.delete(runId);
            openMains.delete(runId);
            state.delete(runId);
            gate.leave(runId);
          }
          if (act === "withdraw" && is === "waiting" && !openMains.has(runId)) gate.withdraw(runId);
          await Promise.resolve();
          await Promise.resolve();
          expect(executing.size).toBeLessThanOrEqual(1);
          expect(openMains.size).toBeLessThanOrEqual(1);
          expect([...executing][0] ?? null).toBe(gate.holder);
        }
      }),
    );
  });

  it("L1: tells a run between two steps when an answer waits, and not when only main runs do", async () => {
    const gate = new Gate();
    expect(await gate.enter(entry("main"))).toBe(true);
    void gate.enter(entry("other", { seq: 2 }));
    expect(gate.isWanted()).toBe(false);
    void gate.enter(entry("question", { isAnswer: true, seq: 3 }));
    expect(gate.isWanted()).toBe(true);
    gate.lend("main");
    expect([gate.holder, gate.openMain]).toEqual(["question", "main"]);
  });

  it("tells a withdrawn run that it may not execute", async () => {
    const gate = new Gate();
    await gate.enter(entry("main"));
    const waiting = gate.enter(entry("other", { seq: 2 }));
    gate.withdraw("other");
    expect(await waiting).toBe(false);
  });
});
