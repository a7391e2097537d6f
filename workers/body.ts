import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { validator } from "hono/validator";
import type { z } from "zod";
import { issueAt, parseAt } from "../core/config/issues.ts";
import { MAX_REQUEST_BYTES } from "../core/limits.ts";
import { ApiError } from "./errors.ts";

/** Refuses larger bodies, also those that do not tell their length. */
export const limitBody = bodyLimit({
  maxSize: MAX_REQUEST_BYTES,
  onError: () => {
    throw new ApiError("too_large", `A request body may have ${MAX_REQUEST_BYTES} bytes.`);
  },
});

/** The request's JSON body, checked. Throws ApiError with each problem's path. */
export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return checkBody(await readJson(context), schema);
}

/**
 * The query's parameters, checked, for `context.req.valid("query")`; of one that is given several times the
 * first counts. A middleware, so that typed clients see which parameters a route takes.
 */
export function checkQuery<T>(schema: z.ZodType<T>) {
  return validator("query", (_value, context) => checkBody(context.req.query(), schema));
}

/** Whoever sends more faults than this will not read them all. */
const SHOWN_ISSUES = 50;

/** A value from outside, checked. Throws ApiError with each problem's path. */
export function checkBody<T>(value: unknown, schema: z.ZodType<T>): T {
  const parsed = parseAt(schema, value, []);
  if (parsed.ok) return parsed.value;
  const issues = parsed.faults.slice(0, SHOWN_ISSUES).map((fault) => issueAt(fault.path, fault.message));
  throw new ApiError("bad_request", "The request has faults.", issues);
}

/** Throws ApiError when it is no JSON. */
export async function readJson(context: Context): Promise<unknown> {
  const text = await context.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError("bad_request", "The body is not JSON.", [{ path: "", message: "Must be JSON" }]);
  }
}
