import { createServer } from "node:net";
import { Problem } from "./problem.mjs";

/** Fails with the next step when the port cannot be listened on; 0 is always fine. */
export async function ensureFree(port) {
  if (port === 0) return;
  const error = await listenError(port);
  if (error === null) return;
  const why = error.code === "EADDRINUSE" ? "is in use by another program" : `cannot be used (${error.code})`;
  throw new Problem(
    `Port ${port} ${why}. Set PORT to another one (PORT=0 picks a free one), or end that program.`,
  );
}

/** A port number from the environment. */
export function parsePort(text, fallback) {
  if (text === undefined || text === "") return fallback;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Problem(`PORT is "${text}"; it must be a number from 0 to 65535.`);
}

function listenError(port) {
  return new Promise((settle) => {
    const server = createServer();
    server.once("error", settle);
    server.listen(port, "127.0.0.1", () => server.close(() => settle(null)));
  });
}
