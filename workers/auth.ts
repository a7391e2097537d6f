import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./app-env.ts";
import { ApiError } from "./errors.ts";

/** Lets a request pass that carries the instance's token. With no token configured nothing passes. */
export const requireToken: MiddlewareHandler<AppEnv> = async (context, next) => {
  const expected = context.env.API_TOKEN ?? "";
  if (expected === "")
    throw new ApiError(
      "unauthorized",
      "No API_TOKEN is configured, so every door but /api/health is closed.",
    );
  const given = /^Bearer +(\S+)$/i.exec(context.req.header("Authorization") ?? "")?.[1] ?? "";
  if (!(await sameText(given, expected)))
    throw new ApiError("unauthorized", "Send the instance's token: Authorization: Bearer <API_TOKEN>.");
  return next();
};

/** Compares hashes, so that the time taken tells nothing about the texts. */
async function sameText(a: string, b: string): Promise<boolean> {
  const [hashA, hashB] = await Promise.all([hashOf(a), hashOf(b)]);
  return crypto.subtle.timingSafeEqual(hashA, hashB);
}

function hashOf(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}
