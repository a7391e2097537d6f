import type { World } from "../core/engine/world.ts";
import type { LiveEvent } from "../core/events.ts";

const BATCH_EVENTS = 200;

/** Events that may wait while the feed is away; older ones are dropped, a viewer loads its page anew. */
const MAX_WAITING = 1_000;

/** Events wait so long for company; the end of a run is told at once, and with it all that waited. */
const GATHER_MS = 100;

/**
 * Hands an agent's events to the live feed in their order: one call at a time, since calls may overtake
 * each other, and what comes up meanwhile goes together with the next. Events of a failed call are dropped.
 */
export function livePublisher(
  send: (events: readonly LiveEvent[]) => Promise<void>,
  failed: (error: unknown) => void,
): World["publish"] {
  const waiting: LiveEvent[] = [];
  let sending = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sendAll = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (sending) return;
    sending = true;
    while (waiting.length > 0) await send(waiting.splice(0, BATCH_EVENTS)).catch(failed);
    sending = false;
  };
  return (events) => {
    waiting.push(...events);
    waiting.splice(0, waiting.length - MAX_WAITING);
    if (events.some((event) => event.type === "run" && event.state === "ended")) void sendAll();
    else timer ??= setTimeout(sendAll, GATHER_MS);
  };
}
