/** Which ports stand for which way of encrypting a mail connection. */
export type MailSecurity = "tls" | "starttls" | "none";

/** The usual port of a server that takes mail. */
export const SMTP_PORTS: Readonly<Record<MailSecurity, number>> = { tls: 465, starttls: 587, none: 25 };

const IMPLICIT_TLS: readonly number[] = [993, 465];
const UPGRADED: readonly number[] = [143, 587];

/** Ports that stand for one way of encrypting decide, whatever is written beside them: one setting serves two servers. */
export function securityAt(security: MailSecurity, port: number): MailSecurity {
  if (security === "none") return "none";
  if (IMPLICIT_TLS.includes(port)) return "tls";
  return UPGRADED.includes(port) ? "starttls" : security;
}
