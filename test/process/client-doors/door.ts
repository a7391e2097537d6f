/** What the tests of the doors share: one started instance and the agents in it. */
import { expect } from "vitest";
import { z } from "zod";
import type { Instance } from "../../../scripts/instance/instance.mjs";

export const LONG = "A long answer that takes its time. ".repeat(4);

export const scripted = (agentId: string, script: unknown, rest: Record<string, unknown> = {}) => ({
  agentId,
  systemPrompt: "Answer.",
  model: { provider: "scripted", script: JSON.stringify(script) },
  ...rest,
});
const always = (otherwise: unknown) => ({ rules: [], otherwise });

export const agents = [
  scripted("clerk", always({ say: "I heard: {{user}}", stream: { chars: 3 } })),
  scripted("slow", always({ say: LONG, stream: { chars: 10, delayMs: 100 } })),
  scripted("full", always({ say: "Never." }), { paused: true, limits: { queue: 1 } }),
  scripted("broken", always({ fail: { code: "auth", message: "The key is wrong." } })),
  // Gets its tool once it is known where the instance answers.
  scripted("liaison", always({ say: "Not yet." })),
];

const runShape = z.object({ run: z.looseObject({ state: z.string(), reply: z.string().nullable() }) });

/** The instance is there once the first hook has run. */
export class Door {
  #instance: Instance | null = null;

  get instance(): Instance {
    if (this.#instance === null) throw new Error("The instance has not been started yet");
    return this.#instance;
  }

  open(instance: Instance): void {
    this.#instance = instance;
  }

  /** A call of the API that works; with a body a POST. */
  async api(path: string, body?: unknown, method = "POST"): Promise<unknown> {
    const response = await fetch(`${this.instance.workerUrl}/api/${path}`, {
      headers: { authorization: `Bearer ${this.instance.token}` },
      ...(body === undefined ? {} : { method, body: JSON.stringify(body) }),
    });
    expect(response.ok, path).toBe(true);
    return response.json();
  }

  /** The run once it is over. */
  async ended(runId: string) {
    const run = async () => runShape.parse(await this.api(`runs/${runId}`)).run;
    await expect.poll(async () => (await run()).state, { timeout: 30_000, interval: 100 }).toBe("ended");
    return run();
  }
}
