import { type EmailConfig, type OpenEmail, openEmailSchema } from "../config/email.ts";
import { resolveSecrets } from "../config/secrets.ts";

/** A shorter key could be tried out. */
const MIN_KEY_CHARS = 16;

export type EmailOpened =
  | { readonly ok: true; readonly email: OpenEmail }
  /** `reason` is a sentence without secrets. */
  | { readonly ok: false; readonly reason: string };

/** Fills in the secrets, for one use. */
export function openEmail(email: EmailConfig, env: Readonly<Record<string, unknown>>): EmailOpened {
  const resolved = resolveSecrets(email, env);
  if (!resolved.ok)
    return { ok: false, reason: `The secret ${resolved.missing.join(", ")} for e-mail is not set.` };
  const opened = openEmailSchema.parse(resolved.value);
  if (opened.signingKey.length >= MIN_KEY_CHARS) return { ok: true, email: opened };
  return {
    ok: false,
    reason: `The secret ${email.signingKey.$secret} signs mail and needs ${MIN_KEY_CHARS} characters.`,
  };
}
