/**
 * The header by which a mail from one agent to another carries its chain (L4). It is believed only when we signed
 * it, for this sender and this recipient, not long ago; a mail is taken once by the id in it. That id is not the
 * Message-ID, which the platform replaces when it sends.
 */
import { z } from "zod";
import { isAgentId, objectNameOf } from "../ids.ts";
import type { Lineage } from "../lineage.ts";
import { isSame, signature } from "./signature.ts";

export const CHAIN_HEADER = "X-Parley-Chain";

/** Mail servers try for up to five days. */
const LIFE_MS = 5 * 86_400_000;
const SIGNATURE_CHARS = 51;
const ID_CHARS = 32;
const PIECE_CHARS = 60;

const claimSchema = z.strictObject({
  /** What the mail is called here, hashed: so it is short, and says nothing. */
  id: z.string().length(ID_CHARS),
  agentId: z.string().refine(isAgentId),
  from: z.string().max(254),
  to: z.string().max(254),
  /** Written in the name of the agent's run, when it had ended. */
  reply: z.boolean(),
  runId: z.string().refine((id) => objectNameOf(id) !== null),
  parentRunId: z.string().nullable(),
  rootRunId: z.string().refine((id) => objectNameOf(id) !== null),
  depth: z.number().int().min(1).max(10_000),
  /** Epoch milliseconds. */
  expiresAt: z.number(),
});

/** What the sender's side says of a mail. Addresses are in lower case. */
export type ChainClaim = Readonly<z.infer<typeof claimSchema>>;

export interface NewClaim {
  /** Names the mail for good, however long. */
  readonly id: string;
  readonly agentId: string;
  readonly from: string;
  /** One: others learn nothing of the chain, and nobody of who else has got it. */
  readonly to: string;
  readonly reply: boolean;
  readonly lineage: Lineage;
}

/** The header's value; blanks let it be folded. Rejects for a claim that {@link readChain} would not take. */
export async function chainHeader(key: string, claim: NewClaim, now: number): Promise<string> {
  const { id, agentId, from, to, reply, lineage } = claim;
  const { runId, parentRunId, rootRunId, depth } = lineage;
  const content: ChainClaim = {
    id: await signature(key, { purpose: "mail", parts: [id], chars: ID_CHARS }),
    agentId,
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    reply,
    runId,
    parentRunId,
    rootRunId,
    depth,
    expiresAt: now + LIFE_MS,
  };
  const { error } = claimSchema.safeParse(content);
  if (error !== undefined)
    throw new Error("A mail's chain cannot be written into its header", { cause: error });
  const body = Buffer.from(JSON.stringify(content)).toString("base64url");
  return pieces(`${body}.${await proof(key, body)}`);
}

/** Null for a header that is not ours, not for this mail, or too old. Addresses in any case. */
export async function readChain(
  key: string,
  value: string,
  mail: { readonly from: string; readonly to: string; readonly now: number },
): Promise<ChainClaim | null> {
  const [body = "", proven = ""] = value.replace(/\s+/g, "").split(".");
  if (!isSame(proven, await proof(key, body))) return null;
  const claim = claimSchema.safeParse(jsonOf(body));
  if (!claim.success || claim.data.expiresAt < mail.now) return null;
  const { from, to } = claim.data;
  return from === mail.from.toLowerCase() && to === mail.to.toLowerCase() ? claim.data : null;
}

function proof(key: string, body: string): Promise<string> {
  return signature(key, { purpose: "chain", parts: [body], chars: SIGNATURE_CHARS });
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, "base64url").toString());
  } catch {
    return null;
  }
}

function pieces(text: string): string {
  return text.match(new RegExp(`.{1,${PIECE_CHARS}}`, "g"))?.join(" ") ?? "";
}
