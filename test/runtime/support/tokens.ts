/** API tokens, good ones and one that has expired. */
import { env } from "cloudflare:workers";
import { z } from "zod";
import type { Role } from "../../../core/access/roles.ts";
import { newTokenText, tokenHash } from "../../../workers/access/api-token.ts";
import { send } from "./api.ts";

const created = z.strictObject({
  name: z.string(),
  role: z.string(),
  expiresAt: z.string().nullable(),
  token: z.string(),
});

export async function makeToken(name: string, role: Role): Promise<string> {
  const response = await send("POST", "/api/tokens", { name, role });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${response.status} ${text}`);
  return created.parse(JSON.parse(text)).token;
}

/** A token whose time was over before it was made: the API makes none of these. */
export async function staleToken(name: string, role: Role): Promise<string> {
  const token = newTokenText();
  const hub = env.HUB.get(env.HUB.idFromName("hub"));
  await hub.createToken({ name, role, hash: await tokenHash(token), expiresAt: Date.now() - 1 });
  return token;
}
