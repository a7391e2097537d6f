/** Channels that are one POST: Rocket.Chat's incoming webhook, and a webhook of any kind, signed if wished. */
import { z } from "zod";
import { OutboundError } from "../outbound/guarded-fetch.ts";
import { readCappedText } from "../outbound/read-text.ts";
import type { Attempt, ChannelMessage, Delivery } from "./channel.ts";

/** What Rocket.Chat takes by default. */
const ROCKETCHAT_CHARS = 5_000;
const CUT = "\n[cut; the rest is in the list of notices]";
const ANSWER_BYTES = 10_000;

export function toRocketChat(attempt: Attempt<"rocketchat">): Promise<Delivery> {
  const { webhookUrl } = attempt.channel;
  return post(attempt, { url: webhookUrl, body: JSON.stringify({ text: rocketChatText(attempt.message) }) });
}

/** `now` in epoch milliseconds: a receiver can refuse what is old, so that nobody sends it a second time. */
export async function toWebhook(attempt: Attempt<"webhook">, now: number): Promise<Delivery> {
  const { webhookUrl, signingSecret } = attempt.channel;
  const body = JSON.stringify({ title: attempt.message.title ?? null, text: attempt.message.text });
  const timestamp = String(Math.floor(now / 1000));
  const signed =
    signingSecret === undefined
      ? {}
      : { "x-hub-signature-256": `sha256=${await hmacHex(signingSecret, `${timestamp}.${body}`)}` };
  const headers = { "x-parley-timestamp": timestamp, "x-parley-delivery": attempt.deliveryId, ...signed };
  return post(attempt, { url: webhookUrl, body, headers });
}

function rocketChatText({ title, text }: ChannelMessage): string {
  const whole = title === undefined ? text : `*${title}*\n${text}`;
  const cut = whole.length > ROCKETCHAT_CHARS ? whole.slice(0, ROCKETCHAT_CHARS - CUT.length) + CUT : whole;
  // A task's title must not be able to ring everybody: the mention is broken by a character without width.
  return cut.toWellFormed().replaceAll(/@(?=(all|here)\b)/gi, "@\u200b");
}

async function hmacHex(secret: string, text: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), algorithm, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", key, bytes.encode(text))).toString("hex");
}

interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Redirects are not followed: one that turns the POST into a GET would look like a success. */
async function post(attempt: Pick<Attempt<"webhook">, "fetch" | "signal">, input: Post): Promise<Delivery> {
  const { url, body, headers } = input;
  try {
    const response = await attempt.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "error",
      signal: attempt.signal,
    });
    return deliveryOf(response, (await readCappedText(response, ANSWER_BYTES)).text);
  } catch (error) {
    if (error instanceof OutboundError && error.code !== "unreachable")
      return { ok: false, code: "refused", reason: `The channel's address was not used (${error.code}).` };
    return {
      ok: false,
      code: "unknown",
      reason: "The connection failed, so it may or may not have arrived.",
    };
  }
}

const answerSchema = z.looseObject({ success: z.boolean() });

function deliveryOf(response: Response, answer: string): Delivery {
  const { status } = response;
  const reason = `The channel's server answered ${status}.`;
  if (response.ok && !saysNo(answer)) return { ok: true };
  if (response.ok) return { ok: false, code: "refused", reason: "The channel's server did not take it." };
  if (status !== 408 && status !== 429 && status < 500) return { ok: false, code: "refused", reason };
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return retryAfter >= 0
    ? { ok: false, code: "busy", reason, retryAfter }
    : { ok: false, code: "busy", reason };
}

/** Rocket.Chat has been seen to refuse with status 200. */
function saysNo(answer: string): boolean {
  try {
    return answerSchema.safeParse(JSON.parse(answer)).data?.success === false;
  } catch {
    return false;
  }
}
