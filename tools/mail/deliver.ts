import { sendOverBinding } from "../../protocols/smtp/binding.ts";
import { sendOverSmtp } from "../../protocols/smtp/send.ts";
import { smtpServer } from "./config.ts";
import { type Deliver, Refusal } from "./desk.ts";

/** Sends by the way that the config names; rejects with a {@link Refusal} when it names none that exists. */
export function createDeliver(sendEmail: SendEmail | undefined): Deliver {
  return async (config, mail, signal) => {
    if (config.useSendEmail) {
      if (sendEmail !== undefined) return sendOverBinding(sendEmail, mail, { signal });
      throw new Refusal(
        "not_configured: The Worker has no send_email binding (useSendEmail). Nothing was sent.",
      );
    }
    const server = smtpServer(config);
    if (server !== null) return sendOverSmtp(server, mail, { signal });
    throw new Refusal(
      "not_configured: No server to send through is configured (smtpHost). Nothing was sent.",
    );
  };
}
