/** An agent's telemetry exporter under a clock that the test holds. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { World } from "../../../core/engine/world.ts";
import { TelemetryExporter } from "../../../core/telemetry/exporter.ts";
import { sendSpans } from "../../../core/telemetry/send.ts";
import { watch } from "./watched-world.ts";

function worldOf(objectName: string): World {
  const world = watch.worlds.get(objectName);
  if (world === undefined) throw new Error(`${objectName} is not up`);
  return world;
}

export interface Clocked {
  readonly exporter: TelemetryExporter;
  readonly warnings: string[];
  readonly world: World;
  at: number;
}

/** An exporter whose clock the test holds, inside the object. */
export async function inObject<T>(objectName: string, work: (clocked: Clocked) => Promise<T>): Promise<T> {
  const stub = env.AGENTS.get(env.AGENTS.idFromName(objectName));
  await stub.status();
  return runInDurableObject(stub, () => {
    const real = worldOf(objectName);
    const warnings: string[] = [];
    const state = { at: Date.now() };
    const log = { ...real.log, warn: (text: string) => void warnings.push(text) };
    const held: Partial<World> = { log, now: () => state.at, random: () => 0.5 };
    const world = new Proxy(real, {
      get: (target, key) => Reflect.get(Object.hasOwn(held, key) ? held : target, key),
    });
    const send = {
      fetch: (input: string | URL, init?: RequestInit) => fetch(input, init),
      secrets: { ...env },
    };
    const exporter = new TelemetryExporter(world, (config, body) =>
      sendSpans({ ...send, now: world.now }, config, body),
    );
    const clocked: Clocked = {
      exporter,
      warnings,
      world,
      get at() {
        return state.at;
      },
      set at(at) {
        state.at = at;
      },
    };
    return work(clocked);
  });
}
