/** Whether a webhook's call comes from who knows its secret, and is not old. */

/** A call is taken so many milliseconds before and after its timestamp. */
const WINDOW_MS = 300_000;

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const TIMESTAMP = /^\d{1,12}$/;
const DELIVERY_ID = /^[\x21-\x7e]{1,200}$/;
const LOOKS_STAMPED = /^\d{1,12}\./;

/** The headers as they came in; null for what was not sent. */
export interface HookHeaders {
  readonly signature: string | null;
  /** Seconds since 1970. */
  readonly timestamp: string | null;
  readonly deliveryId: string | null;
}

/** Headers of the right form, of a call that is not old. */
export interface HookSeal {
  readonly signature: Uint8Array<ArrayBuffer>;
  /** Null where the body was signed alone. */
  readonly timestamp: string | null;
  /** What the call is known by when it comes again: its id, which nothing protects, and what was signed. */
  readonly marks: readonly string[];
}

/** A call whose parts have the right form; its signature has not been checked. */
export interface SignedCall {
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly signed: Uint8Array<ArrayBuffer>;
  /** Signed without a timestamp. */
  readonly bodyAlone: boolean;
}

/** Null for headers that no webhook takes, whatever the body. `now` in epoch milliseconds. */
export function readSeal({ signature, timestamp, deliveryId }: HookHeaders, now: number): HookSeal | null {
  const hex = SIGNATURE.exec(signature ?? "")?.[1];
  if (hex === undefined) return null;
  if (deliveryId !== null && !DELIVERY_ID.test(deliveryId)) return null;
  if (timestamp !== null && (deliveryId === null || !isNow(timestamp, now))) return null;
  const marks = [...(deliveryId === null ? [] : [`id:${deliveryId}`]), `signature:${hex}`];
  return { signature: Uint8Array.from(Buffer.from(hex, "hex")), timestamp, marks };
}

/** Null for a body that none of these headers can be of. */
export function signedCall(
  { signature, timestamp }: HookSeal,
  body: Uint8Array<ArrayBuffer>,
): SignedCall | null {
  if (timestamp !== null) return { signature, signed: stamped(timestamp, body), bodyAlone: false };
  // Else a call that was signed with its timestamp could come again as one without, at any time.
  return looksStamped(body) ? null : { signature, signed: body, bodyAlone: true };
}

/** Takes the same time whatever is wrong. */
export async function isSignedWith(secret: string, { signature, signed }: SignedCall): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const raw = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, signature, signed);
}

function isNow(timestamp: string, now: number): boolean {
  return TIMESTAMP.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= WINDOW_MS;
}

function looksStamped(body: Uint8Array): boolean {
  return LOOKS_STAMPED.test(new TextDecoder().decode(body.subarray(0, 13)));
}

function stamped(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return signed;
}
