import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LiveEvent } from "../../core/events.ts";
import { livePublisher } from "../../durable-objects/live-publisher.ts";

const run = (runId: string, state: "started" | "ended"): LiveEvent => ({
  type: "run",
  runId,
  rootRunId: runId,
  agentId: "a",
  state,
  receipt: null,
});

const calls: string[][] = [];
const namesOf = (events: readonly LiveEvent[]) =>
  events.map((event) => (event.type === "run" ? `${event.runId} ${event.state}` : event.type));

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  calls.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

const publisher = (isWatched = true) =>
  livePublisher(
    async (events) => {
      calls.push(namesOf(events));
      return isWatched;
    },
    () => undefined,
  );

it("tells the end of a run at once, and with it what waited", async () => {
  const publish = publisher();
  publish([run("a.1", "started")]);
  expect(calls).toEqual([]);
  publish([run("a.1", "ended")]);
  expect(calls).toEqual([["a.1 started", "a.1 ended"]]);
});

it("tells what is alone after a moment", async () => {
  publisher()([run("a.1", "started")]);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls).toEqual([["a.1 started"]]);
});

it("calls every two seconds at most while nobody watches, and loses nothing then either", async () => {
  const publish = publisher(false);
  for (let n = 0; n < 30; n += 1) {
    publish([run(`a.${n}`, "ended")]);
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(2_000);
  expect(calls.map(({ length }) => length)).toEqual([1, 19, 10]);
});

it("calls four times a second at most while somebody watches, in order, and loses nothing", async () => {
  const publish = publisher();
  const told: string[] = [];
  for (let n = 0; n < 100; n += 1) {
    publish([run(`a.${n}`, "ended")]);
    told.push(`a.${n} ended`);
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(250);
  expect(calls.flat()).toEqual(told);
  expect(calls.length).toBeGreaterThan(2);
  expect(calls.length).toBeLessThan(7);
});
