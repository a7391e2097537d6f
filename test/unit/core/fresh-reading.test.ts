import { describe, expect, it } from "vitest";
import { FreshReading } from "../../../core/access/fresh-reading.ts";
import { Turns } from "../../../core/access/turns.ts";

/** A clock that stands, and goes on when everybody sleeps; what is read is how often it was read. */
function reader() {
  let now = 0;
  let reads = 0;
  const sleepers: (() => void)[] = [];
  const reading = new FreshReading<number>({
    now: () => now,
    sleep: () => new Promise((resolve) => sleepers.push(resolve)),
  });
  return {
    reading,
    ask: () =>
      reading.fresh(async () => {
        reads += 1;
        return reads;
      }),
    reads: () => reads,
    /** So many milliseconds later whoever sleeps wakes up. */
    pass: (ms: number) => {
      now += ms;
      for (const wake of sleepers.splice(0)) wake();
    },
    sleeping: () => sleepers.length,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

describe("a fresh reading", () => {
  it("is read for each who asks while there are few", async () => {
    const { ask, reads } = reader();
    for (let n = 1; n <= 50; n += 1) expect(await ask()).toBe(n);
    expect(reads()).toBe(50);
  });

  it("is one for all of a flood, and begins after each of them has asked", async () => {
    const { ask, reads, pass, sleeping } = reader();
    await Promise.all(times(50, ask));
    const flood = Promise.all(times(1_000, ask));
    await settled();
    expect([reads(), sleeping()]).toEqual([50, 1_000]);
    pass(100);
    await settled();
    expect(reads()).toBe(51);
    // Whoever comes now has not been seen by that reading.
    const late = ask();
    await settled();
    pass(100);
    expect(new Set(await flood)).toEqual(new Set([51]));
    expect(await late).toBe(52);
  });

  it("holds nobody up when whoever began one never comes to its end", async () => {
    const { reading, ask, pass } = reader();
    const never = reading.fresh(() => new Promise<number>(() => undefined));
    await Promise.all(times(49, ask));
    const next = ask();
    await settled();
    pass(100);
    expect(await next).toBe(50);
    expect(await Promise.race([never, settled().then(() => "open")])).toBe("open");
  });

  it("is as wrong as its own reading and no other", async () => {
    const { reading, ask } = reader();
    await expect(reading.fresh(async () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(reading.latest).toBeNull();
    expect(await ask()).toBe(1);
    expect(reading.latest).toBe(1);
  });
});

describe("turns", () => {
  it("are so many at once, and come back one by one", () => {
    let now = 0;
    const turns = new Turns({ burst: 2, everyMs: 10 }, () => now);
    const taken = () => times(4, () => turns.take()).filter(Boolean).length;
    expect(taken()).toBe(2);
    now = 9;
    expect(taken()).toBe(0);
    now = 10;
    expect(taken()).toBe(1);
    now = 1_000;
    expect(taken()).toBe(2);
  });
});
