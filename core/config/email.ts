/** E-mail in: which addresses are which agent's, who may write to them, and how answers go out. */
import { z } from "zod";
import { type ConfigIssue, issueAt } from "./issues.ts";
import { secretRef } from "./secrets.ts";

/** What stays of a mailbox's 64 letters once the mark of a thread is added to it. */
const MAX_LOCAL_CHARS = 34;
const LOCAL = /^[a-z0-9][a-z0-9._-]*$/;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;

const domain = z
  .string()
  .max(253)
  .transform((text) => text.toLowerCase())
  .refine((text) => DOMAIN.test(text), "Must be a domain such as example.com");

const ownAddress = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9][a-z0-9._-]{0,${MAX_LOCAL_CHARS - 1}}@[a-z0-9.-]{3,200}$`),
    `Must be an address in lower case; before the @ at most ${MAX_LOCAL_CHARS} letters, digits, dots, _ and -`,
  );

const agentId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "Must be an agentId");

/** `person@domain`, or `*@domain` for everybody of exactly that domain; `@domain`, as tools write it, is the same. */
const allowedSender = z
  .string()
  .max(254)
  .transform((text) => text.toLowerCase().replace(/^@/, "*@"))
  .refine(isSenderEntry, "Must be an address, or *@domain for everybody of that domain");

function isSenderEntry(entry: string): boolean {
  const at = entry.lastIndexOf("@");
  const local = entry.slice(0, Math.max(at, 0));
  return (local === "*" || /^[^\s@<>,;:"()*]{1,64}$/.test(local)) && DOMAIN.test(entry.slice(at + 1));
}

const host = z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, "Must be a host name");

/** `secret` is a reference in a document, and the value itself where it has been resolved. */
function emailWith<Secret extends z.ZodType>(secret: Secret) {
  const smtp = z.strictObject({
    host,
    port: z.number().int().min(1).max(65_535).exactOptional(),
    security: z.enum(["tls", "starttls", "none"]).default("tls"),
    /** Both missing: a server that asks for none. */
    username: z.string().min(1).max(320).exactOptional(),
    password: secret.exactOptional(),
  });
  return z.strictObject({
    addresses: z
      .record(ownAddress, agentId)
      .refine((addresses) => Object.keys(addresses).length <= 500, "At most 500")
      .default({}),
    /** Who gets what is sent to any other address of `domain`. */
    catchAll: z.strictObject({ domain, agentId }).exactOptional(),
    allowedSenders: z.array(allowedSender).max(1_000).default([]),
    /** Whose Authentication-Results are believed: the server that receives our mail. */
    authservId: z.string().min(1).max(253).default("mx.cloudflare.net"),
    maxBytes: z.number().int().min(1_000).max(26_214_400).default(10_000_000),
    /** Mails of one thread, of one sender, and of one sender's domain that an agent takes in an hour. */
    maxPerThread: z.number().int().min(1).max(1_000).default(5),
    maxPerSender: z.number().int().min(1).max(10_000).default(60),
    maxPerDomain: z.number().int().min(1).max(100_000).default(300),
    /** Missing: answers come from the reply address itself. */
    from: z.email().max(254).exactOptional(),
    /** Missing: the Worker's `send_email` binding named EMAIL. */
    smtp: smtp.exactOptional(),
    /** Signs reply addresses, and the header by which agents' mails carry their chain. */
    signingKey: secret,
  });
}

export const emailSchema = emailWith(secretRef).superRefine((email, context) => {
  const fault = (path: string[], message: string) =>
    context.addIssue({ code: "custom", path, message, input: undefined });
  for (const address of Object.keys(email.addresses)) {
    const [local = "", of = ""] = address.split("@");
    if (!LOCAL.test(local) || !DOMAIN.test(of)) fault(["addresses", address], "Is no plain address");
  }
  const { smtp } = email;
  if (smtp !== undefined && (smtp.username === undefined) !== (smtp.password === undefined))
    fault(["smtp", "password"], "username and password belong together");
});

export type EmailConfig = z.infer<typeof emailSchema>;

/** With secrets filled in; for one use, to be written nowhere. */
export const openEmailSchema = emailWith(z.string().min(1));
export type OpenEmail = z.infer<typeof openEmailSchema>;

/** Addresses of agents that the file does not have: mail to them would be refused. */
export function emailWarnings(email: EmailConfig | undefined, agentIds: readonly string[]): ConfigIssue[] {
  const routes = Object.entries(email?.addresses ?? {}).map(([address, agentId]) => ({
    path: ["addresses", address],
    agentId,
  }));
  const rest = email?.catchAll;
  const all =
    rest === undefined ? routes : [...routes, { path: ["catchAll", "agentId"], agentId: rest.agentId }];
  return all
    .filter(({ agentId }) => !agentIds.includes(agentId))
    .map(({ path }) => issueAt(["instance", "email", ...path], "No agent of this file has that agentId"));
}
