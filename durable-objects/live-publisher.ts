import type { World } from "../core/engine/world.ts";
import type { LiveEvent } from "../core/events.ts";

const BATCH_EVENTS = 200;

/** Events that may wait while the feed is away; older ones are dropped, a viewer loads its page anew. */
const MAX_WAITING = 1_000;

/** Events wait so long for company, unless a run has ended: that is told at once, and with it all that waited. */
const GATHER_MS = 100;
/** Two calls are that far apart while somebody watches, and while nobody does. */
const APART_MS: LivePace = { watched: 250, unwatched: 2_000 };

/** Milliseconds. */
export interface LivePace {
  readonly watched: number;
  readonly unwatched: number;
}

/**
 * Hands an agent's events to the live feed in their order: one call at a time, since calls may overtake
 * each other, and what comes up meanwhile goes together with the next. Events of a failed call are dropped. `send`
 * answers whether anybody watches.
 */
export function livePublisher(
  send: (events: readonly LiveEvent[]) => Promise<boolean>,
  failed: (error: unknown) => void,
  pace: LivePace = APART_MS,
): World["publish"] {
  const waiting: LiveEvent[] = [];
  let sending = false;
  let begunAt = 0;
  let isWatched = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lost = (error: unknown) => {
    failed(error);
    return isWatched;
  };
  const sendAll = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (sending) return;
    sending = true;
    begunAt = Date.now();
    while (waiting.length > 0) isWatched = await send(waiting.splice(0, BATCH_EVENTS)).catch(lost);
    sending = false;
  };
  return (events) => {
    waiting.push(...events);
    waiting.splice(0, waiting.length - MAX_WAITING);
    const apart = begunAt + (isWatched ? pace.watched : pace.unwatched) - Date.now();
    if (apart > 0) timer ??= setTimeout(sendAll, apart);
    else if (events.some((event) => event.type === "run" && event.state === "ended")) void sendAll();
    else timer ??= setTimeout(sendAll, GATHER_MS);
  };
}
