import { expect, it } from "vitest";
import {
  isSampled,
  type SpanKey,
  spanIdOf,
  stepTraceparent,
  traceIdOf,
} from "../../../core/telemetry/ids.ts";

const runId = "a.0mb1x2y3zabcdef";
const keys: SpanKey[] = [
  { kind: "run", runId },
  { kind: "ask", runId },
  { kind: "step", runId, step: 0 },
  { kind: "step", runId, step: 1 },
  { kind: "summary", runId, index: 0 },
  { kind: "call", runId, step: 0, position: 0 },
  { kind: "call", runId, step: 0, position: 1 },
  { kind: "call", runId, step: 1, position: 0 },
  { kind: "run", runId: `${runId}2` },
];

it("ids follow from the engine's: the same again, and another for everything else", async () => {
  const ids = await Promise.all(keys.map(spanIdOf));
  expect(await Promise.all(keys.map(spanIdOf))).toEqual(ids);
  expect(new Set(ids).size).toBe(keys.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(await traceIdOf(runId)).toMatch(/^[0-9a-f]{32}$/);
  expect(await traceIdOf(runId)).toBe(await traceIdOf(runId));
});

it("a model call's traceparent names its trace, its span and whether it is told", async () => {
  const call = { runId, rootRunId: "root.0mb1x2y3zabcdef", step: 3 };
  const span = `${await traceIdOf(call.rootRunId)}-${await spanIdOf({ kind: "step", runId, step: 3 })}`;
  expect(await stepTraceparent({ ...call, sampleRatio: 1 })).toBe(`00-${span}-01`);
  expect(await stepTraceparent({ ...call, sampleRatio: 0 })).toBe(`00-${span}-00`);
});

it("a ratio keeps about that part of the chains, and all of those that a smaller one keeps", async () => {
  const traces = await Promise.all(Array.from({ length: 2_000 }, (_, n) => traceIdOf(`a.${n}`)));
  const kept = (ratio: number) => traces.filter((traceId) => isSampled(traceId, ratio));
  expect(kept(1)).toHaveLength(traces.length);
  expect(kept(0)).toEqual([]);
  const half = kept(0.5);
  expect(half.length).toBeGreaterThan(900);
  expect(half.length).toBeLessThan(1_100);
  expect(half).toEqual(expect.arrayContaining(kept(0.1)));
});
