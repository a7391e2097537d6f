/** What went wrong with a model call, told from status, code and text. Pure. */
import { z } from "zod";
import type { ModelErrorCode, ModelFailure } from "./types.ts";

/** Far more than is ever shown: the caller cuts it to that once it has scrubbed it. */
const MAX_MESSAGE_CHARS = 20_000;

export interface FailureDetails {
  readonly status?: number | null;
  readonly retryAfterMs?: number | null;
  readonly partialText?: string;
}

/** A failure with a tidied message; what `details` leaves out is null or empty. */
export function modelFailure(
  code: ModelErrorCode,
  message: string,
  details: FailureDetails = {},
): ModelFailure {
  return {
    code,
    message: tidy(message),
    status: details.status ?? null,
    retryAfterMs: details.retryAfterMs ?? null,
    partialText: details.partialText ?? "",
  };
}

export interface ErrorEvidence {
  /** HTTP status; null when the error came inside a 200 or was thrown without one. */
  readonly status: number | null;
  /** The error's body: parsed JSON, or the text where it is none. */
  readonly body: unknown;
  readonly retryAfterMs: number | null;
  readonly partialText?: string;
}

/** Sorts a provider's error. The message has the provider's words, without stack traces and headers. */
export function classifyFailure(evidence: ErrorEvidence): ModelFailure {
  const told = readErrorBody(evidence.body);
  const status = evidence.status ?? told.status;
  const code = codeOf(status, told, evidence.retryAfterMs !== null);
  const message = told.message === "" ? "The provider gave no reason" : told.message;
  return modelFailure(code, status === null ? message : `HTTP ${status}: ${message}`, {
    ...evidence,
    status,
  });
}

/**
 * Milliseconds to wait from `retry-after-ms` or `retry-after` (seconds or HTTP date); null when absent or unreadable.
 * A date is read against the response's own `date`, so that the two clocks need not agree; else against `now`.
 */
export function retryAfterMs(headers: { get(name: string): string | null }, now: number | null) {
  const millis = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (Number.isFinite(millis)) return Math.max(0, Math.round(millis));
  const after = headers.get("retry-after")?.trim() ?? "";
  if (/^-?\d+(\.\d+)?$/.test(after)) return Math.max(0, Math.round(Number(after) * 1_000));
  const until = Date.parse(after);
  const sentAt = Date.parse(headers.get("date") ?? "");
  const from = Number.isNaN(sentAt) ? now : sentAt;
  return Number.isNaN(until) || from === null ? null : Math.max(0, until - from);
}

/** The error that a body with status 200 carries, as some gateways send it; null when it is none. */
export function errorInBody(body: unknown): unknown {
  const parsed = errorCarrier.safeParse(Array.isArray(body) ? body[0] : body);
  if (!parsed.success) return null;
  const { error, errors, success, object, choices } = parsed.data;
  if (error !== undefined && error !== null && error !== "") return parsed.data;
  if (success === false || object === "error" || (errors?.length ?? 0) > 0) return parsed.data;
  const inner = choices?.[0]?.error;
  return inner === undefined || inner === null ? null : { error: inner };
}

const errorCarrier = z.looseObject({
  error: z.unknown().optional(),
  errors: z.array(z.unknown()).nullish().catch(null),
  success: z.boolean().nullish().catch(null),
  object: z.string().nullish().catch(null),
  choices: z
    .array(z.looseObject({ error: z.unknown().optional() }))
    .nullish()
    .catch(null),
});

interface ToldError {
  readonly message: string;
  /** Code and type words, lower case. */
  readonly words: string;
  readonly status: number | null;
  /** Everything worth searching for a reason. */
  readonly text: string;
}

const word = z.union([z.string(), z.number()]).nullish().catch(null);
const errorFields = z.looseObject({
  message: z.string().nullish().catch(null),
  detail: z.unknown().optional(),
  code: word,
  type: word,
  status: word,
  metadata: z
    .looseObject({ raw: z.string().nullish().catch(null) })
    .nullish()
    .catch(null),
});
const errorEnvelope = z.looseObject({
  error: z.unknown().optional(),
  errors: z.array(z.unknown()).nullish().catch(null),
});

function readErrorBody(body: unknown): ToldError {
  if (typeof body === "string") return { message: body, words: "", status: null, text: body };
  if (Array.isArray(body)) return readErrorBody(body[0] ?? "");
  const envelope = errorEnvelope.safeParse(body);
  const inner = envelope.success ? (envelope.data.error ?? envelope.data.errors?.[0]) : undefined;
  if (typeof inner === "string") return readErrorBody(inner);
  const fields = errorFields.safeParse(inner ?? body);
  if (!fields.success) return { message: "", words: "", status: null, text: "" };
  const { message, detail, code, type, status, metadata } = fields.data;
  const said = message ?? (typeof detail === "string" ? detail : JSON.stringify(detail ?? inner ?? body));
  return {
    message: said,
    words: `${code ?? ""} ${type ?? ""} ${status ?? ""}`.toLowerCase(),
    status: httpStatus(code) ?? httpStatus(status),
    text: `${said} ${metadata?.raw ?? ""}`,
  };
}

function httpStatus(value: string | number | null | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isInteger(number) && number >= 400 && number <= 599 ? number : null;
}

const QUOTA_WORDS = /insufficient_quota|insufficient_balance|billing|quota_exhausted|credits/;
const QUOTA_TEXT =
  /current quota|insufficient (quota|balance|credit|funds)|billing|credit balance|out of credits/i;
const RETRY_HINT = /(retry|try again) (in|after)/i;
const OVERFLOW_WORDS = /context_length|context_window|context_size|prompt_too_long|request_too_large/;
const OVERFLOW_TEXT =
  /context[ _-]?(length|window|size)|maximum (context|prompt|input)|(prompt|input|request|messages?) (is |are )?too (long|large)|too many (input )?tokens|input token count|reduce the length|exceeds? .{0,40}(maximum|max|limit).{0,20} tokens/i;
const AUTH_TEXT =
  /api key not valid|(invalid|incorrect|missing) api[ _-]?key|invalid_api_key|authentication_error/i;
const NOT_FOUND_TEXT = /model_not_found|no such model|model .{0,80}(does not exist|not found)/i;

function codeOf(status: number | null, told: ToldError, hasRetryAfter: boolean): ModelErrorCode {
  const all = `${told.words} ${told.text}`;
  if (isQuota(status, told, hasRetryAfter)) return "quota";
  if (isOverflow(status, told)) return "context_overflow";
  if (status !== null && status !== 400 && status !== 422) return codeOfStatus(status);
  if (AUTH_TEXT.test(all)) return "auth";
  if (NOT_FOUND_TEXT.test(all)) return "not_found";
  if (status !== null) return "bad_request";
  if (/rate_?limit|resource_exhausted|too_many_requests/.test(told.words)) return "rate_limited";
  if (/overloaded|server_error|unavailable|capacity/.test(told.words)) return "overloaded";
  return /invalid_request|invalid_argument/.test(told.words) ? "bad_request" : "bad_response";
}

/** Some providers speak of quota and billing on every rate limit; a hint when to come back tells them apart. */
function isQuota(status: number | null, told: ToldError, hasRetryAfter: boolean): boolean {
  if (status === 402 || QUOTA_WORDS.test(told.words)) return true;
  if (status !== null && ![400, 403, 429].includes(status)) return false;
  return QUOTA_TEXT.test(told.text) && !hasRetryAfter && !RETRY_HINT.test(told.text);
}

/** A 429 speaks of tokens per minute; only a request that could never fit is an overflow there. */
function isOverflow(status: number | null, told: ToldError): boolean {
  if (status === 413) return true;
  if (status === 401 || status === 403) return false;
  if (status === 429) return /request too large/i.test(told.text);
  return OVERFLOW_WORDS.test(told.words) || OVERFLOW_TEXT.test(told.text);
}

function codeOfStatus(status: number): ModelErrorCode {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  if (status >= 500 || status === 408 || status === 409 || status === 425) return "overloaded";
  return status >= 400 ? "bad_request" : "bad_response";
}

/** One short line: an HTML page is named by its title, a stack trace is dropped. */
function tidy(message: string): string {
  const html = /<(!doctype|html|head|body)\b/i.test(message);
  const title = /<title[^>]*>([^<]*)/i.exec(message)?.[1] ?? "";
  const text = html ? message.slice(0, message.indexOf("<")) + htmlNote(title) : message;
  const [beforeStack = ""] = text.split(/\n\s+at \S|Traceback \(most recent/);
  const line = beforeStack.replace(/\s+/g, " ").trim();
  return line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)} ...` : line;
}

function htmlNote(title: string): string {
  return title.trim() === "" ? "an HTML page" : `an HTML page titled "${title.trim()}"`;
}
