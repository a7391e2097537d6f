/** E-mail as the platform hands it in, and what the instance sends, caught where the protocol would begin. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { MailTransport, ReplyMail, ReplyOutcome } from "../../../core/email/transport.ts";
import { composeMail } from "../../../protocols/smtp/compose.ts";
import { takeEmail } from "../../../workers/email/take-email.ts";
import { ANN, DESK, passed, RESULTS } from "../../support/letters.ts";
import type { PostedMail } from "../../support/post-tool.ts";

interface Post {
  /** What went out, in order. */
  sent: ReplyMail[];
  /** What becomes of the next attempts, first to last; then all go well. */
  outcomes: ReplyOutcome[];
  /** The most attempts that were under way at once. */
  mostAtOnce: number;
  /** What happens with a tool's mail before its call is over. */
  onItsWay: ((mail: ReplyMail) => Promise<void>) | null;
}

export const post: Post = { sent: [], outcomes: [], mostAtOnce: 0, onItsWay: null };

export function resetPost(): void {
  post.sent = [];
  post.outcomes = [];
  post.mostAtOnce = 0;
  post.onItsWay = null;
}

let atOnce = 0;

export function sentId(index: number): string {
  return `<sent-${index}@agents.example>`;
}

/** Stands where the Worker would speak SMTP. */
export const caughtMail: MailTransport = async (_email, mail) => {
  // Something outside, as a mail server is: until then nothing has left the object that is not written down.
  atOnce += 1;
  post.mostAtOnce = Math.max(post.mostAtOnce, atOnce);
  await env.CONFIG.get("no such key");
  atOnce -= 1;
  post.sent.push(mail);
  return post.outcomes.shift() ?? { ok: true, messageId: sentId(post.sent.length) };
};

/** What a tool has sent, as if it had gone the same way. */
export async function posted({ from, to, headers }: PostedMail): Promise<void> {
  const mail: ReplyMail = {
    from: { name: "", address: from },
    answersTo: null,
    to,
    subject: "Work",
    text: "Please look at it.",
    inReplyTo: null,
    references: [],
    headers,
  };
  post.sent.push(mail);
  await post.onItsWay?.(mail);
}

export interface HandedIn {
  readonly from?: string;
  readonly to?: string;
}

/** Hands a mail to the Worker; answers why it was refused, null when it was taken. */
export async function handIn(raw: string | Uint8Array, { from = ANN, to = DESK }: HandedIn = {}) {
  const bytes = typeof raw === "string" ? new TextEncoder().encode(raw) : raw;
  const stream = new Response(bytes).body;
  if (stream === null) throw new Error("An empty mail");
  let refused: string | null = null;
  const context = createExecutionContext();
  await takeEmail(
    {
      from,
      to,
      raw: stream,
      rawSize: bytes.length,
      setReject: (reason) => {
        refused = reason;
      },
    },
    env,
  );
  await waitOnExecutionContext(context);
  return refused;
}

/** A mail of ours as it would come back in, with what the receiving server adds. */
export async function cameBack(mail: ReplyMail): Promise<string> {
  const { from, answersTo, to, subject, text, inReplyTo, references, headers } = mail;
  const composed = await composeMail({
    from,
    ...(answersTo === null ? {} : { replyTo: { name: "", address: answersTo } }),
    to: [{ name: "", address: to }],
    subject,
    text,
    ...(inReplyTo === null ? {} : { inReplyTo }),
    references,
    headers,
    autoSubmitted: "auto-replied",
    date: new Date("2026-11-02T09:00:00Z"),
  });
  if (!composed.ok) throw new Error(composed.reason);
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return `${RESULTS}: ${passed(domain)}\r\n${new TextDecoder().decode(composed.mail.raw)}`;
}
