import { Hono } from "hono";
import { z } from "zod";
import { MAX_TOKENS, type TokenCreated, type TokenEntry } from "../../core/access/api-tokens.ts";
import { ROLES } from "../../core/access/roles.ts";
import { givenName } from "../../core/config/instance.ts";
import { again } from "../../durable-objects/again.ts";
import { newTokenText, tokenHash } from "../access/api-token.ts";
import { rowOf } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { readBody } from "../body.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";

/** Called like the instance's own, nobody could tell the two apart in the log of who did what. */
const tokenName = givenName.refine((name) => name.toUpperCase() !== "API_TOKEN", "Is the instance's own");

const tokenBody = z.strictObject({
  name: tokenName,
  role: z.enum(ROLES),
  expiresAt: z.iso
    .datetime({ offset: true, error: "Must be a time with its zone, in ISO 8601" })
    .refine((time) => Date.parse(time) > Date.now(), "Must be in the future")
    .exactOptional(),
});

export const tokenRoutes = new Hono<AppEnv>()
  .get("/", async (context) => {
    const tokens = await again(async (): Promise<TokenEntry[]> => hubStub(context.env).tokens());
    return context.json(tokens.map(tokenView));
  })
  /** The one answer that ever holds the token itself. */
  .post("/", async (context) => {
    const { name, role, expiresAt } = await readBody(context, tokenBody);
    const token = newTokenText();
    const order = {
      name,
      role,
      hash: await tokenHash(token),
      expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
    };
    const act = rowOf(context, { action: "token.create", target: name, details: { role } });
    const created = await again(
      async (): Promise<TokenCreated> => hubStub(context.env).createToken(order, act),
    );
    if (!created.ok) throw refusalOf(created.code);
    return context.json({ name, role, expiresAt: isoOrNull(order.expiresAt), token }, 201);
  })
  .delete("/:name", async (context) => {
    const name = context.req.param("name");
    const act = rowOf(context, { action: "token.revoke", target: name });
    const revoked = await hubStub(context.env).revokeToken(name, act);
    if (!revoked) throw new ApiError("not_found", "There is no token of that name.");
    return context.json({ ok: true });
  });

function refusalOf(code: "taken" | "too_many"): ApiError {
  return code === "taken"
    ? new ApiError("refused", "There is a token of that name. Revoke it first, or choose another name.", [
        { path: "name", message: "taken" },
      ])
    : new ApiError("refused", `There are ${MAX_TOKENS} tokens. Revoke one first.`, [
        { path: "", message: "too_many" },
      ]);
}

function tokenView({ name, role, createdAt, expiresAt, lastUsedAt }: TokenEntry) {
  return {
    name,
    role,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: isoOrNull(expiresAt),
    lastUsedAt: isoOrNull(lastUsedAt),
  };
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
