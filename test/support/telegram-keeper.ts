/**
 * Telegram on the model server, so that tests in the Workers runtime need no second one: what is sent to a bot whose
 * `apiBaseUrl` ends with `/telegram/<key>` is kept and read back from `/told/<key>`.
 */
import { json, type ModelHandler, type ReceivedRequest } from "./model-server.ts";

const SENT = /\/telegram\/([^/]+)\/bot[^/]+\/sendMessage$/;
const READ = /\/told\/([^/]+)$/;

/** Answers requests to bots, and leaves the others to `otherwise`. */
export function withTelegram(otherwise: ModelHandler): ModelHandler {
  const kept = new Map<string, ReceivedRequest["body"][]>();
  return (request, earlier) => {
    const read = READ.exec(request.path)?.[1];
    if (read !== undefined) return json(kept.get(read) ?? []);
    const key = SENT.exec(request.path)?.[1];
    if (key === undefined) return otherwise(request, earlier);
    kept.set(key, [...(kept.get(key) ?? []), request.body]);
    return json({ ok: true, result: { message_id: 1 } });
  };
}
