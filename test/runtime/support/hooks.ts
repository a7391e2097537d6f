/** Calls of webhooks as a sender makes them, and as others would like to. */
import { exports } from "cloudflare:workers";
import { z } from "zod";

export const now = () => String(Math.floor(Date.now() / 1000));

export async function sign(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, encoder.encode(text));
  return `sha256=${Buffer.from(signature).toString("hex")}`;
}

/** Without the token: the signature is the credential. */
export function call(path: string, init: RequestInit): Promise<Response> {
  return exports.default.fetch(`http://parley.test${path}`, { method: "POST", ...init });
}

let deliveries = 0;

export interface Sent {
  readonly secret: string;
  readonly body: string;
  readonly timestamp?: string;
  readonly deliveryId?: string;
  readonly headers?: Record<string, string>;
}

/** The headers of a call that is right; each has a delivery of its own unless it says otherwise. */
export async function signedHeaders(sent: Sent): Promise<Record<string, string>> {
  deliveries += 1;
  const timestamp = sent.timestamp ?? now();
  return {
    "X-Hub-Signature-256": await sign(sent.secret, `${timestamp}.${sent.body}`),
    "X-Parley-Timestamp": timestamp,
    "X-Parley-Delivery": sent.deliveryId ?? `delivery-${deliveries}`,
    ...sent.headers,
  };
}

export async function deliver(path: string, sent: Sent): Promise<Response> {
  return call(path, { headers: await signedHeaders(sent), body: sent.body });
}

const startedShape = z.strictObject({ runId: z.string() });

/** Status and run of a call that was taken. */
export async function started(response: Response): Promise<{ status: number; runId: string }> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return { status: response.status, ...startedShape.parse(JSON.parse(text)) };
}
