/** Errors as clients see them: one shape, made in one place. What goes outside says less than what is logged. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeError, type Logger } from "../core/log.ts";
import type { AppEnv } from "./app-env.ts";

export type ErrorCode =
  | "unauthorized"
  | "forbidden"
  | "rate_limited"
  | "bad_request"
  | "too_large"
  | "not_found"
  | "method_not_allowed"
  | "queue_full"
  | "paused"
  | "refused"
  | "unavailable"
  | "internal";

const STATUS: Record<ErrorCode, ContentfulStatusCode> = {
  unauthorized: 401,
  forbidden: 403,
  rate_limited: 429,
  bad_request: 400,
  too_large: 413,
  not_found: 404,
  method_not_allowed: 405,
  queue_full: 429,
  paused: 409,
  refused: 409,
  unavailable: 503,
  internal: 500,
};

const RETRY_AFTER_SECONDS = new Map<ErrorCode, number>([
  ["queue_full", 5],
  ["unavailable", 5],
  ["rate_limited", 60],
]);

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Thrown by routes; rendered by {@link renderError}. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly issues: readonly Issue[] | null;

  constructor(code: ErrorCode, message: string, issues: readonly Issue[] | null = null) {
    super(message);
    this.code = code;
    this.issues = issues;
  }
}

/** The error in one text, where there is no room for a list of its faults. */
export function errorText({ message, issues }: ApiError): string {
  return [message, ...(issues ?? []).map(faultText)].join(" ");
}

function faultText({ path, message }: Issue): string {
  return path === "" ? `${message}.` : `${path}: ${message}.`;
}

export function noAgent(): ApiError {
  return new ApiError("not_found", "There is no agent with that id.");
}

/** A parameter of the query that a list of the record does not take. */
export function badQuery({
  parameter,
  code,
}: {
  readonly parameter: string;
  readonly code: string;
}): ApiError {
  return new ApiError("bad_request", `Not accepted: ${parameter} (${code}).`, [
    { path: parameter, message: code },
  ]);
}

/** The body of an error, for a door that has a shape of its own. */
export type ErrorShape = (error: ApiError) => object;

const apiShape: ErrorShape = ({ code, message, issues }) => ({
  error: { code, message, ...(issues === null ? {} : { issues }) },
});

export function renderError(error: unknown, context: Context<AppEnv>, log: Logger): Response {
  const known = error instanceof ApiError ? error : unexpected(error, log);
  const shape = context.get("errorShape") ?? apiShape;
  if (known.code === "unauthorized") context.header("WWW-Authenticate", "Bearer");
  const retryAfter = RETRY_AFTER_SECONDS.get(known.code);
  if (retryAfter !== undefined) context.header("Retry-After", String(retryAfter));
  return context.json(shape(known), STATUS[known.code]);
}

function unexpected(error: unknown, log: Logger): ApiError {
  log.error("A request failed", error);
  if (/D1_ERROR|D1 /.test(describeError(error)))
    return new ApiError(
      "unavailable",
      "The record cannot be read right now. Nothing is lost; try again soon.",
    );
  if (isPassing(error))
    return new ApiError(
      "unavailable",
      "This part of Parley is not within reach right now. Nothing is lost; try again soon.",
    );
  return new ApiError("internal", "Something went wrong inside Parley; the log says what.");
}

/** What the platform says of an object that is overloaded or being moved. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ("overloaded" in error && error.overloaded === true) || ("retryable" in error && error.retryable === true)
  );
}
