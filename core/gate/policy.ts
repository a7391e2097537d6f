/** Who may pass an agent's gate next (L1). No I/O, no clock, no `this`. */

export interface GateEntry {
  readonly runId: string;
  /** Answers an ask; everything else is a main run. */
  readonly isAnswer: boolean;
  /** Higher goes first among runs of one kind. */
  readonly priority: number;
  /** Arrival order. */
  readonly seq: number;
  /** Has executed before and comes back for its next step. */
  readonly started: boolean;
}

export interface GateState {
  /** A main run is started and not ended: no other main run may begin. */
  readonly mainOpen: boolean;
  /** Runs that have not started wait; those under way go on. */
  readonly paused: boolean;
}

/** The entry to let in now that nobody executes; null when all must wait. Order: answers, priority, arrival. */
export function chooseNext(waiting: Iterable<GateEntry>, state: GateState): GateEntry | null {
  let best: GateEntry | null = null;
  for (const entry of waiting) {
    if (mayPass(entry, state) && (best === null || goesBefore(entry, best))) best = entry;
  }
  return best;
}

function mayPass(entry: GateEntry, state: GateState): boolean {
  if (entry.started) return true;
  if (state.paused) return false;
  return entry.isAnswer || !state.mainOpen;
}

function goesBefore(a: GateEntry, b: GateEntry): boolean {
  if (a.isAnswer !== b.isAnswer) return a.isAnswer;
  if (a.started !== b.started) return a.started;
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.seq < b.seq;
}
