import type { Context } from "hono";
import type { z } from "zod";
import { MAX_REQUEST_BYTES } from "../core/limits.ts";
import { ApiError } from "./errors.ts";

/** The request's JSON body, checked. Throws ApiError with each problem's path. */
export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  return checked(await readJson(context), schema);
}

/** The query's parameters, checked. */
export function readQuery<T>(context: Context, schema: z.ZodType<T>): T {
  return checked(context.req.query(), schema);
}

function checked<T>(value: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  throw new ApiError(
    "bad_request",
    `Not accepted: ${issues.map((issue) => `${issue.path || "body"}: ${issue.message}`).join("; ")}`,
    issues,
  );
}

/** Throws ApiError when it is too large or no JSON. */
export async function readJson(context: Context): Promise<unknown> {
  if (Number(context.req.header("Content-Length") ?? 0) > MAX_REQUEST_BYTES) throw tooLarge();
  const text = await context.req.text();
  if (text.length > MAX_REQUEST_BYTES) throw tooLarge();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError("bad_request", "The body is not JSON.", [{ path: "", message: "Must be JSON" }]);
  }
}

function tooLarge(): ApiError {
  return new ApiError("too_large", `A request body may have ${MAX_REQUEST_BYTES} bytes.`);
}
