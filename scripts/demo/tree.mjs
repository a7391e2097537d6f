import { alignColumns } from "./columns.mjs";

/** Duration and cost, the last two columns, are numbers. */
const WORDS = 4;
const PERSON_ACT = "act";

/**
 * A chain's runs as a tree of lines below a line of headings, children in the order of their start.
 * @param runs as `GET /api/chains/:rootRunId` lists them, and what `personActs` makes of its messages
 * @param texts as `textsIn` answers them
 */
export function chainTree(runs, texts) {
  const known = new Set(runs.map((run) => run.runId));
  const roots = runs.filter((run) => run.parentRunId === null || !known.has(run.parentRunId));
  const rows = roots.flatMap((root) => rowsBelow({ runs, texts }, root, { branch: "", below: "" }));
  return alignColumns([texts.columns, ...rows], WORDS);
}

function rowsBelow({ runs, texts }, run, { branch, below }) {
  const own = [
    `${branch}${run.agentId}`,
    texts.trigger(run.trigger),
    run.model ?? "",
    run.trigger === PERSON_ACT ? "" : texts.status(run.status),
    texts.duration(run.durationMs),
    // A run under way has no cost yet.
    run.status === null ? "" : texts.cost(run.costUsd),
  ];
  const children = runs
    .filter((child) => child.parentRunId === run.runId)
    .sort((a, b) => ((a.startedAt ?? a.admittedAt) < (b.startedAt ?? b.admittedAt) ? -1 : 1));
  const rows = children.flatMap((child, index) => {
    const last = index === children.length - 1;
    const next = { branch: `${below}${last ? "`-- " : "|-- "}`, below: `${below}${last ? "    " : "|   "}` };
    return rowsBelow({ runs, texts }, child, next);
  });
  return [own, ...rows];
}

/**
 * What people did in a chain. Such an act is no run, but runs come of it: in the tree it stands above them.
 * @param messages as `GET /api/chains/:rootRunId` lists them
 */
export function personActs(messages) {
  const acts = new Map();
  for (const { runId, parentRunId, occurredAt } of messages) {
    if (!runId.startsWith("@human.")) continue;
    const act = { runId, parentRunId, agentId: "@human", trigger: PERSON_ACT, status: null };
    acts.set(runId, { ...act, admittedAt: occurredAt });
  }
  return [...acts.values()];
}
