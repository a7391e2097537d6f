/** The instance's own mail, as an agent's object reaches it. */
import type { InstanceConfig } from "../core/config/instance.ts";
import { openEmail } from "../core/email/open-email.ts";
import type { MailPort, MailTransport } from "../core/email/transport.ts";
import type { Env } from "./env.ts";

const ATTEMPT_MS = 60_000;

export function mailPort(
  env: Env,
  instance: () => InstanceConfig | undefined,
  transport: MailTransport,
): MailPort {
  return {
    open: () => {
      const email = instance()?.email;
      const opened = email === undefined ? null : openEmail(email, { ...env });
      return opened?.ok === true ? opened.email : null;
    },
    send: (email, mail) => transport(email, mail, AbortSignal.timeout(ATTEMPT_MS)),
  };
}
