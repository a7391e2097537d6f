/** The runs of a chain as a tree, laid out flat in the order in which it is read, with the sum of each subtree. */
import type { ChainRun } from "./chain-run.ts";

export interface TreeRow {
  readonly run: ChainRun;
  /** 1 for a root. */
  readonly level: number;
  /** The row of the parent; null for a root. */
  readonly parent: number | null;
  /** The first row behind the subtree: its rows stand together. */
  readonly end: number;
  /** Place among its siblings from 1, and how many they are. */
  readonly place: number;
  readonly siblings: number;
  readonly sum: Sum;
  /** Part of the parent's sum, 0 to 1; null where there is no parent or nothing to compare. */
  readonly costShare: number | null;
  readonly timeShare: number | null;
}

/** Over a run and all that it caused. */
export interface Sum {
  readonly runs: number;
  /** Of the runs with a price; null when none has one. */
  readonly costUsd: number | null;
  /** Ended runs without a price: the cost is at least this when there are some. */
  readonly unpriced: number;
  /** Runs that ended as anything but completed. */
  readonly failures: number;
  /** Runs under way. */
  readonly open: number;
  /** Milliseconds from the first beginning to the last end; runs under way count up to now. */
  readonly wallMs: number;
}

/** A run's parent may be missing: then it is a root. A ring of parents, which no engine makes, is cut. @param now epoch milliseconds */
export function buildTree(runs: readonly ChainRun[], now: number): TreeRow[] {
  const order = inReadingOrder(runs);
  const sums = sumsOf(order, now);
  return order.map((row, index) => {
    const sum = sums[index] ?? EMPTY;
    const above = row.parent === null ? undefined : sums[row.parent];
    return {
      ...row,
      sum: publicSum(sum),
      costShare: above === undefined ? null : share(sum.costUsd, above.costUsd),
      timeShare: above === undefined ? null : share(sum.to - sum.from, above.to - above.from),
    };
  });
}

type Placed = Omit<TreeRow, "sum" | "costShare" | "timeShare">;

function inReadingOrder(runs: readonly ChainRun[]): Placed[] {
  const known = new Set(runs.map((run) => run.runId));
  const sorted = [...runs].sort(
    (a, b) => a.begunAt.localeCompare(b.begunAt) || a.runId.localeCompare(b.runId),
  );
  const isRoot = (run: ChainRun) => run.parentRunId === null || !known.has(run.parentRunId);
  const children = Map.groupBy(
    sorted.filter((run) => !isRoot(run)),
    (run) => run.parentRunId ?? "",
  );
  const rows: (Placed & { end: number })[] = [];
  const seen = new Set<string>();
  place(sorted.filter(isRoot), { children, rows, seen });
  // What no root leads to goes round in a ring: it begins somewhere.
  for (const run of sorted) if (!seen.has(run.runId)) place([run], { children, rows, seen });
  return rows;
}

interface Walk {
  readonly children: ReadonlyMap<string, readonly ChainRun[]>;
  readonly rows: (Placed & { end: number })[];
  readonly seen: Set<string>;
}

/** Without recursion: a chain may be deeper than the stack. */
function place(roots: readonly ChainRun[], { children, rows, seen }: Walk): void {
  const open: { readonly siblings: readonly ChainRun[]; next: number; readonly parent: number | null }[] = [
    { siblings: roots, next: 0, parent: null },
  ];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const run = top.siblings[top.next];
    if (run === undefined) {
      const closed = top.parent === null ? undefined : rows[top.parent];
      if (closed !== undefined) closed.end = rows.length;
      open.pop();
      continue;
    }
    top.next += 1;
    if (seen.has(run.runId)) continue;
    seen.add(run.runId);
    const parent = top.parent;
    const at = rows.push({
      run,
      level: open.length,
      parent,
      end: rows.length + 1,
      place: top.next,
      siblings: top.siblings.length,
    });
    open.push({ siblings: children.get(run.runId) ?? [], next: 0, parent: at - 1 });
  }
}

interface Summing {
  runs: number;
  costUsd: number | null;
  unpriced: number;
  failures: number;
  open: number;
  from: number;
  to: number;
}

const EMPTY: Summing = {
  runs: 0,
  costUsd: null,
  unpriced: 0,
  failures: 0,
  open: 0,
  from: 0,
  to: 0,
};

/** From the leaves up: a parent stands before its children. */
function sumsOf(rows: readonly Placed[], now: number): Summing[] {
  const sums = rows.map(({ run }) => ownSum(run, now));
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const parent = rows[index]?.parent;
    const sum = sums[index];
    const above = parent == null ? undefined : sums[parent];
    if (sum !== undefined && above !== undefined) addTo(above, sum);
  }
  return sums;
}

function ownSum(run: ChainRun, now: number): Summing {
  const { from, to } = timesOf(run, now);
  return {
    runs: 1,
    costUsd: run.costUsd,
    unpriced: run.status !== null && run.costUsd === null ? 1 : 0,
    failures: run.status !== null && run.status !== "completed" ? 1 : 0,
    open: run.status === null ? 1 : 0,
    from,
    to,
  };
}

/** Epoch milliseconds of beginning and end; a run under way goes up to now. */
export function timesOf(run: ChainRun, now: number): { readonly from: number; readonly to: number } {
  const from = timeOr(run.begunAt, now);
  return { from, to: Math.max(from, run.endedAt === null ? now : timeOr(run.endedAt, now)) };
}

function timeOr(iso: string, fallback: number): number {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? fallback : time;
}

function addTo(above: Summing, sum: Summing): void {
  above.runs += sum.runs;
  above.costUsd = sum.costUsd === null ? above.costUsd : (above.costUsd ?? 0) + sum.costUsd;
  above.unpriced += sum.unpriced;
  above.failures += sum.failures;
  above.open += sum.open;
  above.from = Math.min(above.from, sum.from);
  above.to = Math.max(above.to, sum.to);
}

function publicSum({ from, to, ...sum }: Summing): Sum {
  return { ...sum, wallMs: to - from };
}

function share(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole <= 0 ? null : Math.min(1, part / whole);
}

/** How a share is shown: parts that matter stand out, and always with their number. */
export function weightOf(part: number | null): "most" | "half" | "some" {
  if (part === null || part < 0.5) return "some";
  return part < 0.75 ? "half" : "most";
}

/** Indexes of the rows that are shown when these runs are folded. */
export function visibleRows(rows: readonly TreeRow[], folded: ReadonlySet<string>): number[] {
  const visible: number[] = [];
  for (let index = 0; index < rows.length; ) {
    const row = rows[index];
    if (row === undefined) break;
    visible.push(index);
    index = folded.has(row.run.runId) ? row.end : index + 1;
  }
  return visible;
}
