/** What the tests of the doors share: one started instance and the agents in it. */
import { expect } from "vitest";
import { z } from "zod";
import type { Instance } from "../../../scripts/instance/instance.mjs";
import { DESK } from "../../support/letters.ts";
import type { MailServer } from "../mail-server.ts";

export const LONG = "A long answer that takes its time. ".repeat(4);

export const scripted = (agentId: string, script: unknown, rest: Record<string, unknown> = {}) => ({
  agentId,
  systemPrompt: "Answer.",
  model: { provider: "scripted", script: JSON.stringify(script) },
  ...rest,
});
const always = (otherwise: unknown) => ({ rules: [], otherwise });

const usage = { inputTokens: 11, cachedInputTokens: 3, outputTokens: 7, reasoningTokens: 2 };
const webhooks = [{ name: "orders", secret: { $secret: "SHOP_HOOK" } }];
export const HOOK_SECRET = "a-webhook-secret-of-this-test";
/** What the instance's config refers to. */
export const VARS = `SHOP_HOOK="${HOOK_SECRET}"\nMAIL_KEY="a-mail-key-of-this-test"\n`;

export const agents = [
  scripted("clerk", always({ say: "I heard: {{user}}", stream: { chars: 3 }, usage }), { webhooks }),
  scripted("slow", always({ say: LONG, stream: { chars: 10, delayMs: 100 } })),
  scripted("wordy", always({ say: "x".repeat(150_000) })),
  scripted("full", always({ say: "Never." }), { paused: true, limits: { queue: 1 } }),
  scripted("broken", always({ fail: { code: "auth", message: "The key is wrong." } })),
  // Gets its tool once it is known where the instance answers.
  scripted("liaison", always({ say: "Not yet." })),
];

const runShape = z.object({ run: z.looseObject({ state: z.string(), reply: z.string().nullable() }) });

/** The instance's document, with mail that goes out by this server. */
export const instanceDocument = (mailServer: MailServer) => ({
  id: "doors-test",
  outbound: { allow: ["127.0.0.1"] },
  email: {
    addresses: { [DESK]: "clerk" },
    allowedSenders: ["*@people.example"],
    smtp: { host: "127.0.0.1", port: mailServer.port, security: "none" },
    signingKey: { $secret: "MAIL_KEY" },
  },
});

/** The instance is there once the first hook has run. */
export class Door {
  #instance: Instance | null = null;
  #mailServer: MailServer | null = null;

  get instance(): Instance {
    if (this.#instance === null) throw new Error("The instance has not been started yet");
    return this.#instance;
  }

  /** The mails that the instance has sent, oldest first. */
  get mails(): readonly string[] {
    return this.#mailServer?.mails ?? [];
  }

  open(instance: Instance, mailServer: MailServer): void {
    this.#instance = instance;
    this.#mailServer = mailServer;
  }

  async close(): Promise<void> {
    await this.#instance?.stop();
    await this.#mailServer?.stop();
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
