/** A mail server that takes everything without encryption, in the test's own process. */
import { once } from "node:events";
import { SMTPServer } from "smtp-server";

export interface MailServer {
  readonly port: number;
  /** Raw messages, in order. */
  readonly mails: readonly string[];
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onData: async (stream, _session, done) => {
      mails.push(Buffer.concat(await stream.toArray()).toString());
      done();
    },
  });
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const address = listening.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
