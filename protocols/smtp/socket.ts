import { connect, type Socket } from "node:net";
import { connect as secure } from "node:tls";

interface Place {
  readonly host: string;
  readonly port: number;
}

interface Opening {
  /** TLS from the first byte. */
  readonly encrypted: boolean;
  /** Milliseconds until the connection stands. */
  readonly limit: number;
  /** Told what to do when nobody needs the socket any more. */
  readonly onEnd: (cleanUp: () => void) => void;
}

/**
 * A socket connected by name. The mail library would resolve the name itself and connect to an address, against
 * which the runtime then checks the certificate. Rejects with a {@link NotConnected}.
 */
export async function openSocket(place: Place, { encrypted, limit, onEnd }: Opening): Promise<Socket> {
  const plain = async () => {
    const socket = connect({ host: place.host, port: place.port });
    onEnd(() => socket.destroy());
    await untilReady(socket, { event: "connect", failure: "refused", limit });
    return socket;
  };
  if (!encrypted) return plain();
  const socket = secure({ host: place.host, port: place.port, servername: place.host });
  onEnd(() => socket.destroy());
  try {
    await untilReady(socket, { event: "secureConnect", failure: "tls", limit });
    return socket;
  } catch (error) {
    // The runtime says the same of a server that is not there and of one that it does not trust.
    if (error instanceof NotConnected && error.code === "tls") (await plain()).destroy();
    throw error;
  }
}

interface Wait {
  readonly event: "connect" | "secureConnect";
  readonly failure: NotConnected["code"];
  readonly limit: number;
}

function untilReady(socket: Socket, { event, failure, limit }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (code: NotConnected["code"], cause?: unknown) => {
      clearTimeout(timer);
      reject(new NotConnected(code, { cause }));
    };
    const broken = (error?: unknown) => failed(failure, error);
    const timer = setTimeout(() => failed("timeout"), limit);
    socket.once("error", broken);
    socket.once("close", broken);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.removeListener("error", broken);
      socket.removeListener("close", broken);
      resolve();
    });
  });
}

/** There never was a connection that could be used. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";
  readonly code: "refused" | "tls" | "timeout";

  constructor(code: NotConnected["code"], options: ErrorOptions) {
    super(`not connected: ${code}`, options);
    this.code = code;
  }
}
