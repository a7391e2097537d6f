/** One request to the tracing backend, and what its answer means for the spans. */
import { z } from "zod";
import { resolveSecrets } from "../config/secrets.ts";
import type { TelemetryConfig } from "../config/telemetry.ts";
import { timeLimit } from "../engine/time-limit.ts";
import { retryAfterMs } from "../model/failure.ts";
import type { GuardedFetch } from "../outbound/guarded-fetch.ts";
import { readCappedText } from "../outbound/read-text.ts";
import type { OtlpBody } from "./otlp.ts";

export type SendOutcome =
  /** `rejected`: spans that the backend says it has not kept. */
  | { readonly ok: true; readonly rejected: number }
  /** `refused`: the same again would be refused too. The reason holds nothing of the request or the answer. */
  | { readonly ok: false; readonly code: "refused"; readonly reason: string }
  | {
      readonly ok: false;
      readonly code: "busy";
      readonly reason: string;
      readonly retryAfterMs: number | null;
    };

export interface SendWorld {
  /** The platform's: like a model's address, this one is the operator's and nobody else can steer it. */
  readonly fetch: GuardedFetch;
  /** Where secrets' values are. */
  readonly secrets: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const ATTEMPT_MS = 10_000;
const ANSWER_BYTES = 10_000;

/** Never rejects, and is over within ten seconds. */
export async function sendSpans(
  world: SendWorld,
  config: TelemetryConfig,
  body: OtlpBody,
): Promise<SendOutcome> {
  const headers = headersOf(config, world.secrets);
  if (!headers.ok) return headers;
  const limit = timeLimit(new AbortController().signal, ATTEMPT_MS);
  try {
    const response = await world.fetch(tracesUrl(config.endpoint), {
      method: "POST",
      headers: { ...headers.values, "content-type": body.contentType },
      body: body.bytes,
      // Another address was not named by the operator, and must not get the headers.
      redirect: "manual",
      signal: limit.signal,
    });
    const answer = await readCappedText(response, ANSWER_BYTES);
    return outcomeOf(response, answer.text, world.now());
  } catch {
    // What the platform says may hold the address or a header.
    return busy("it could not be reached", null);
  } finally {
    limit.clear();
  }
}

type Headers =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | Extract<SendOutcome, { code: "refused" }>;

/** Within what fetch takes; a line break in a secret would throw there. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const headerValues = z.record(z.string(), z.string().regex(HEADER_VALUE));

function headersOf(config: TelemetryConfig, secrets: SendWorld["secrets"]): Headers {
  const resolved = resolveSecrets(config.headers, secrets);
  if (!resolved.ok) return refused(`the secret ${resolved.missing.join(", ")} is not set`);
  const values = headerValues.safeParse(resolved.value);
  return values.success ? { ok: true, values: values.data } : refused("a header's secret is no header value");
}

export function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, "");
  return base.endsWith("/v1/traces") ? base : `${base}/v1/traces`;
}

function outcomeOf(response: Response, answer: string, now: number): SendOutcome {
  const { status } = response;
  if (response.ok) return { ok: true, rejected: rejectedIn(answer) };
  const reason = `it answered ${status}`;
  if (status === 408 || status === 429 || status >= 500)
    return busy(reason, retryAfterMs(response.headers, now));
  return refused(reason);
}

const partial = z.looseObject({
  partialSuccess: z.looseObject({ rejectedSpans: z.coerce.number().int().min(0) }),
});

/** Nothing, where the answer is no JSON: a backend may say 200 with whatever it likes. */
function rejectedIn(answer: string): number {
  try {
    return partial.safeParse(JSON.parse(answer)).data?.partialSuccess.rejectedSpans ?? 0;
  } catch {
    return 0;
  }
}

function refused(reason: string): Extract<SendOutcome, { code: "refused" }> {
  return { ok: false, code: "refused", reason };
}

function busy(reason: string, after: number | null): SendOutcome {
  return { ok: false, code: "busy", reason, retryAfterMs: after };
}
