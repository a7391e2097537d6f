import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Delivery, PACE } from "../../core/agent/delivery.ts";
import type { World } from "../../core/engine/world.ts";
import type { LiveEvent } from "../../core/events.ts";
import { putOutbox } from "../../core/journal/outbox.ts";
import { noticeRow } from "../support/record-rows.ts";
import { chat, delivered } from "./support/api.ts";
import { agent, team } from "./support/team.ts";
import { watch } from "./support/watched-world.ts";

const stubOf = (name: string) => env.AGENTS.get(env.AGENTS.idFromName(name));

describe("the record of a busy agent", () => {
  beforeEach(async () => {
    await team([agent("sender")]);
    await chat("sender", "hello");
    await delivered();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A delivery that has just sent something, what it writes, and a way to give it a row. */
  async function busy(
    use: (given: { write: () => void; batches: number[]; told: LiveEvent[] }) => Promise<void>,
  ) {
    await runInDurableObject(stubOf("sender"), async () => {
      const batches: number[] = [];
      const told: LiveEvent[] = [];
      const world = withParts({
        writeRecord: async ({ notices }) => void batches.push(notices.length),
        publish: (events) => void told.push(...events),
        now: () => Date.now(),
      });
      const delivery = new Delivery(world);
      let rows = 0;
      const write = () => {
        const row = noticeRow(`row${rows++}`);
        putOutbox(world.db, { kind: "notices", row }, row.uid);
        delivery.soon(false, () => undefined);
      };
      write();
      await delivery.settled();
      await use({ write, batches, told });
    });
  }

  function withParts(parts: Partial<World>): World {
    const world = watch.worlds.get("sender");
    if (world === undefined) throw new Error("The sender is not up");
    return new Proxy(world, {
      get: (target, key) => Reflect.get(Object.hasOwn(parts, key) ? parts : target, key),
    });
  }

  it("goes at once after a quiet while, else together a moment after the latest row", async () => {
    await busy(async ({ write, batches }) => {
      expect(batches).toEqual([1]);
      write();
      await vi.advanceTimersByTimeAsync(PACE.quiet - 1);
      write();
      await vi.advanceTimersByTimeAsync(PACE.quiet - 1);
      expect(batches).toEqual([1]);
      await vi.advanceTimersByTimeAsync(1);
      expect(batches).toEqual([1, 2]);
    });
  });

  it("is told to the live feed within a moment, though it goes out later", async () => {
    await busy(async ({ write, batches, told }) => {
      write();
      await vi.advanceTimersByTimeAsync(PACE.quiet / 2);
      write();
      await vi.advanceTimersByTimeAsync(PACE.quiet / 2);
      expect([batches, told.length]).toEqual([[1], 3]);
    });
  });

  it("never waits longer than the pace allows, however busy the agent is", async () => {
    await busy(async ({ write, batches }) => {
      const step = PACE.quiet / 2;
      const steps = PACE.longest / step;
      for (let at = 0; at < steps; at += 1) {
        write();
        await vi.advanceTimersByTimeAsync(step);
      }
      expect(batches).toEqual([1, steps]);
    });
  });
});

it("a busy agent's log lines are written in the batch of its record", async () => {
  await team([agent("sender")]);
  await chat("sender", "what it says goes at once");
  const { runId } = await chat("sender", "hello");
  await delivered();
  const { results } = await env.DB.prepare(`SELECT "Text" AS text FROM "Logs" WHERE "RunId" = ?`)
    .bind(runId)
    .all();
  expect(results).toHaveLength(1);
});

it("rows that wait have an alarm, also when no run is open", async () => {
  await team([agent("sender")]);
  await chat("sender", "hello");
  await delivered();
  await runDurableObjectAlarm(stubOf("sender"));
  await runInDurableObject(stubOf("sender"), async (_, { storage }) => {
    const world = watch.worlds.get("sender");
    if (world === undefined) throw new Error("The sender is not up");
    const soon = async () => ((await storage.getAlarm()) ?? Number.POSITIVE_INFINITY) < Date.now() + 60_000;
    expect(await soon()).toBe(false);
    for (const uid of ["at once", "waits"]) {
      putOutbox(world.db, { kind: "notices", row: noticeRow(uid) }, uid);
      world.outboxFilled(false);
    }
    expect(await soon()).toBe(true);
  });
});
