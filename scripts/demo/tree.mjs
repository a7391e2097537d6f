/**
 * A chain's runs as a tree of lines below a line of headings, children in the order of their start.
 * @param runs as `GET /api/chains/:rootRunId` lists them
 * @param texts as `textsIn` answers them
 */
export function chainTree(runs, texts) {
  const known = new Set(runs.map((run) => run.runId));
  const roots = runs.filter((run) => run.parentRunId === null || !known.has(run.parentRunId));
  const rows = roots.flatMap((root) => rowsBelow({ runs, texts }, root, { branch: "", below: "" }));
  return alignColumns([texts.columns, ...rows]);
}

function rowsBelow({ runs, texts }, run, { branch, below }) {
  const own = [
    `${branch}${run.agentId}`,
    texts.trigger(run.trigger),
    run.model ?? "",
    texts.status(run.status),
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

/** The last two columns hold numbers and stand to the right. */
function alignColumns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < 4 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ")
      .trimEnd(),
  );
}
