import { describe, expect, it } from "vitest";
import type { LiveEvent } from "../../../core/events.ts";
import { LiveFeed } from "../../../core/hub/live-feed.ts";

const NOW = Date.parse("2026-05-01T08:00:00.000Z");

function queued(runId: string): LiveEvent {
  return { type: "run", runId, rootRunId: runId, agentId: "a", state: "queued", receipt: null };
}

const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
const runsOf = (text: string) => [...text.matchAll(/"runId":"([^"]+)"/g)].map(([, runId]) => runId);

describe("the live feed", () => {
  it("numbers events without a gap and gives a viewer exactly those that it has missed", () => {
    const feed = new LiveFeed(NOW);
    const told = [feed.append([queued("a.1"), queued("a.2")]), feed.append([queued("a.3")])].join("");
    const [first = 0, second, third] = idsOf(told);
    expect([second, third]).toEqual([first + 1, first + 2]);
    expect(runsOf(feed.after(first))).toEqual(["a.2", "a.3"]);
    expect(feed.after(first - 1)).toBe(told);
    expect(feed.after(first + 2)).toBe("");
  });

  it.each([
    ["of long ago", -1],
    ["that it has not given out", +4],
  ])("tells a viewer with an id %s to load its page anew, and where to go on", (_which, off) => {
    const feed = new LiveFeed(NOW);
    const [first = 0] = idsOf(feed.append([queued("a.1"), queued("a.2")]));
    expect(feed.after(first - 1 + off)).toBe(`id: ${first + 1}\nevent: reset\ndata: {}\n\n`);
    expect(feed.after(first + 1)).toBe("");
  });

  it("goes on above its ids when it has begun anew, so that no viewer misses something unawares", () => {
    const before = idsOf(new LiveFeed(NOW).append([queued("a.1")])).at(-1) ?? 0;
    const anew = new LiveFeed(NOW + 1_000);
    const [next = 0] = idsOf(anew.append([queued("a.2")]));
    expect(next).toBeGreaterThan(before);
    expect(anew.after(before)).toContain("event: reset");
    expect(String(next)).toMatch(/^\d{1,15}$/);
  });

  it("keeps about a million characters, the newest", () => {
    const feed = new LiveFeed(NOW);
    const [first = 0] = idsOf(feed.append([queued("a.first")]));
    for (let n = 0; n < 12; n += 1) feed.append([queued(`a.${"x".repeat(50_000)}${n}`)]);
    expect(feed.after(first)).toContain("event: reset");
    const kept = feed.after(first + 6);
    expect(kept.length).toBeGreaterThan(500_000);
    expect(kept.length).toBeLessThan(1_000_000);
  });

  it("forgets what holds an erased text, and tells viewers to load their pages anew", () => {
    const feed = new LiveFeed(NOW);
    const [first = 0] = idsOf(feed.append([queued("a.1"), queued("a.jane"), queued("a.3")]));
    const count = (text: string) => text.split("jane").length - 1;
    expect(feed.erase(count, false)).toBe(2);
    expect(feed.after(first)).toContain("jane");
    expect(feed.erase(count, true)).toBe(2);
    expect(feed.after(first)).toContain("event: reset");
    expect(feed.erase(count, true)).toBe(0);
    expect(runsOf(feed.append([queued("a.4")]))).toEqual(["a.4"]);
  });
});
