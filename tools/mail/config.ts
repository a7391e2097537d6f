import { z } from "zod";
import { secret } from "../../core/tool.ts";
import { type Mailbox, normaliseAllowed, parseMailboxes } from "../../protocols/smtp/address.ts";
import { type MailSecurity, SMTP_PORTS, securityAt } from "../../protocols/smtp/ports.ts";
import type { SmtpServer } from "../../protocols/smtp/send.ts";

const host = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, "a host's name, without port and scheme");
const port = z.int().min(1).max(65_535);

const from = z.string().transform((raw, refinement): Mailbox => {
  const parsed = parseMailboxes(raw);
  const [mailbox, ...more] = parsed.ok ? parsed.mailboxes : [];
  if (mailbox !== undefined && more.length === 0) return mailbox;
  refinement.addIssue({
    code: "custom",
    message: "one address, such as `bot@example.com` or `Bot <bot@example.com>`",
  });
  return z.NEVER;
});

const allowed = z.string().transform((raw, refinement) => {
  const entry = normaliseAllowed(raw);
  if (entry !== null) return entry;
  refinement.addIssue({
    code: "custom",
    message: "an address, or `@domain` for everybody of exactly that domain",
  });
  return z.NEVER;
});

export const configSchema = z
  .strictObject({
    imapHost: host.optional().describe("Server to read from; without it nothing can be read or answered."),
    imapPort: port.optional().describe("993 with tls, else 143, when missing."),
    smtpHost: host.optional().describe("Server to send through."),
    smtpPort: port.optional().describe("465 with tls, 587 with starttls, else 25, when missing."),
    username: z.string().min(1).max(320).optional().describe("For both servers."),
    password: secret().optional(),
    security: z
      .enum(["tls", "starttls", "none"])
      .default("tls")
      .describe("How both connections are encrypted; none sends the password in clear text."),
    from: from.describe("The agent's own address, with or without a name."),
    allowedRecipients: z
      .array(allowed)
      .max(1_000)
      .default([])
      .describe("Addresses and `@domain` it may write to; an empty list allows nobody."),
    useSendEmail: z
      .boolean()
      .default(false)
      .describe("Send through the Worker's `send_email` binding instead of a server."),
  })
  .superRefine((config, refinement) => {
    const issue = (key: string, message: string) =>
      refinement.addIssue({ code: "custom", path: [key], message });
    if ((config.username === undefined) !== (config.password === undefined)) {
      issue("password", "username and password belong together");
    }
    if (config.imapHost !== undefined && config.username === undefined) {
      issue("username", "reading needs username and password");
    }
    if (config.imapHost === undefined && config.smtpHost === undefined && !config.useSendEmail) {
      issue("smtpHost", "one of imapHost, smtpHost and useSendEmail is needed");
    }
  });

export type MailConfig = z.infer<typeof configSchema>;

export interface ImapAccess {
  readonly host: string;
  readonly port: number;
  readonly security: MailSecurity;
  readonly username: string;
  readonly password: string;
}

/** Where to read; null when that is not configured. */
export function imapAccess(config: MailConfig): ImapAccess | null {
  const { imapHost, username, password, security } = config;
  if (imapHost === undefined || username === undefined || password === undefined) return null;
  const at = config.imapPort ?? (security === "tls" ? 993 : 143);
  return { host: imapHost, port: at, security: securityAt(security, at), username, password };
}

/** Where to send; null when that is not configured. */
export function smtpServer(config: MailConfig): SmtpServer | null {
  const { smtpHost, username, password, security } = config;
  if (smtpHost === undefined) return null;
  const at = config.smtpPort ?? SMTP_PORTS[security];
  const auth = username === undefined || password === undefined ? {} : { auth: { username, password } };
  return { host: smtpHost, port: at, security: securityAt(security, at), ...auth };
}
