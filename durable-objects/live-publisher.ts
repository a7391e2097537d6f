import type { World } from "../core/engine/world.ts";
import type { LiveEvent } from "../core/events.ts";

const BATCH_EVENTS = 200;

/** Events that may wait while the feed is away; older ones are dropped, a viewer loads its page anew. */
const MAX_WAITING = 1_000;

/**
 * Hands an agent's events to the live feed in their order: one call at a time, since calls may overtake
 * each other, and what comes up meanwhile goes together with the next. Events of a failed call are dropped.
 */
export function livePublisher(
  send: (events: readonly LiveEvent[]) => Promise<void>,
  failed: (error: unknown) => void,
): World["publish"] {
  const waiting: LiveEvent[] = [];
  let sending: Promise<void> | null = null;
  const sendAll = async () => {
    while (waiting.length > 0) await send(waiting.splice(0, BATCH_EVENTS)).catch(failed);
    sending = null;
  };
  return (events) => {
    waiting.push(...events);
    waiting.splice(0, waiting.length - MAX_WAITING);
    sending ??= sendAll();
    return sending;
  };
}
