/** How the IMAP library gets its connection inside a Worker. */
import type { ImapTransport, StreamsSocket, StreamsSocketInfo } from "imapflow";

/** Which step went wrong; the runtime's own errors do not tell a refused connection from a bad certificate. */
export type TransportStage = "connecting" | "handshake" | "open";

interface RawStreams extends StreamsSocket {
  readonly raw: Promise<Socket>;
}

/**
 * A transport over `cloudflare:sockets`. The library's own one for `node:net` cannot upgrade a connection here.
 * TLS from the first byte is a plain connection upgraded at once, so that `report` can say what failed. The
 * runtime checks certificates against the host's name, always.
 */
export async function workerTransport(report: (stage: TransportStage) => void): Promise<ImapTransport> {
  // Loaded when it is needed: the start-up of the Worker would pay for the library in every isolate, and the
  // runtime's module does not exist where the unit tests run.
  const { createStreamsTransport } = await import("imapflow");
  const { connect } = await import("cloudflare:sockets");
  const upgrade = async (raw: Promise<Socket>, host: string) => {
    const plain = await raw;
    report("handshake");
    const secure = plain.startTls({ expectedServerHostname: host });
    await secure.opened;
    report("open");
    return secure;
  };
  return createStreamsTransport<RawStreams>({
    open: ({ host, port, secure }) => {
      report("connecting");
      const plain = connect({ hostname: host, port }, { secureTransport: "starttls", allowHalfOpen: false });
      const opened = plain.opened.then(() => {
        if (!secure) report("open");
        return plain;
      });
      return streamsOf(secure ? upgrade(opened, host) : opened, () => plain.close());
    },
    upgrade: ({ raw }, { host }) => streamsOf(upgrade(raw, host)),
  });
}

/** @param abandon ends a connection that does not stand yet */
function streamsOf(raw: Promise<Socket>, abandon: () => Promise<void> = async () => {}): RawStreams {
  const info = ({ readable, writable }: Socket): StreamsSocketInfo => ({ readable, writable });
  const closed = raw.then((socket) => socket.closed);
  closed.catch(() => {});
  const close = async () => {
    abandon().catch(() => {});
    await (await raw).close();
  };
  return { raw, opened: raw.then(info), closed, close };
}
