/** The ways to tell a person something, as the instance's config names them. */
import { z } from "zod";
import { secretRef } from "./secrets.ts";

const hostName = z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, "Must be a host name");
// Control characters would end a line of the mail's head.
const mailAddress = z
  .string()
  .max(320)
  .regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/, "Must be one plain mail address");
const chatId = z.union([
  z.number().int().transform(String),
  z.string().regex(/^(-?\d{1,19}|@[A-Za-z]\w{3,31})$/, "Must be a chat's id or an @name"),
]);

/** `secret` is a reference in a document, and the value itself where a document has been resolved. */
function channelsWith<Secret extends z.ZodType>(secret: Secret) {
  return z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("rocketchat"), webhookUrl: secret }),
    z.strictObject({
      type: z.literal("webhook"),
      webhookUrl: secret,
      /** Missing: sent without a signature. */
      signingSecret: secret.exactOptional(),
    }),
    z.strictObject({
      type: z.literal("telegram"),
      botToken: secret,
      chatId,
      /** Of a Bot API server of one's own. */
      apiBaseUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
    }),
    z
      .strictObject({
        type: z.literal("email"),
        to: z.array(mailAddress).min(1).max(20),
        /** Missing: the username. */
        from: mailAddress.exactOptional(),
        smtpHost: hostName.exactOptional(),
        smtpPort: z.number().int().min(1).max(65_535).exactOptional(),
        username: z.string().min(1).max(320).exactOptional(),
        password: secret.exactOptional(),
        security: z.enum(["tls", "starttls", "none"]).default("tls"),
        /** Sends through the Worker's `send_email` binding instead. */
        useSendEmail: z.boolean().default(false),
      })
      .superRefine(checkEmail),
  ]);
}

interface EmailFields {
  readonly from?: string;
  readonly smtpHost?: string;
  readonly username?: string;
  readonly useSendEmail: boolean;
}

function checkEmail(channel: EmailFields, context: z.RefinementCtx): void {
  const fault = (key: string, message: string) =>
    context.addIssue({ code: "custom", path: [key], message, input: undefined });
  const named = channel.smtpHost !== undefined;
  if (named && channel.useSendEmail) fault("useSendEmail", "Either smtpHost or useSendEmail, not both");
  if (!named && !channel.useSendEmail) fault("smtpHost", "Is missing; or set useSendEmail to true");
  if (channel.from !== undefined) return;
  const fallback = channel.useSendEmail ? undefined : channel.username;
  if (!mailAddress.safeParse(fallback).success) fault("from", "Is missing: who the mail comes from");
}

export const channelSchema = channelsWith(secretRef);

/** A channel whose secrets are filled in; for one delivery, to be written nowhere. */
export const openChannelSchema = channelsWith(z.string().min(1));
export type OpenChannel = z.infer<typeof openChannelSchema>;
