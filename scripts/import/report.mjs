import { count } from "./progress.mjs";

const REASONS = {
  too_large: "larger than a request may be",
  no_id: "no run id",
  bad_id: "an id that is malformed or holds a secret",
  no_agent: "no agent",
  no_tool: "no tool",
  no_content: "no text",
  bad_time: "no time, or none that can be read",
  unreadable: "cannot be read",
  unknown_word: "unknown word",
  missing: "missing",
  no_root: "a parent without a root",
};

/** The lines that say what was taken over and what could not be. */
export function reportLines({ tables, progress, others }) {
  const lines = tables.flatMap(({ name, rows }) => tableLines(name, rows, progress[name]));
  const left =
    others.length === 0
      ? []
      : [`Not imported: the table${others.length === 1 ? "" : "s"} ${others.join(", ")}`];
  return [...lines, ...left];
}

function tableLines(name, rows, progress) {
  if (progress === null) return [`${name}: ${count(rows)} rows`];
  const refused = progress.refused.reduce((sum, finding) => sum + finding.count, 0);
  const sums = `${count(progress.written)} written, ${count(progress.known)} there already, ${count(refused)} refused`;
  const unknown =
    progress.unknownColumns.length === 0 ? [] : [`  not mapped: ${progress.unknownColumns.join(", ")}`];
  return [
    `${name}: ${count(progress.read)} rows read: ${sums}`,
    ...unknown,
    ...progress.refused.map((finding) => `  refused ${described(finding)}`),
    ...progress.changed.map(
      (finding) => `  changed ${described(finding)}, became ${finding.instead ?? "unknown (NULL)"}`,
    ),
  ];
}

function described({ count: times, field, code, examples }) {
  const shown = examples.map(({ key, value }) =>
    value === null ? `row ${key}` : `row ${key}: ${JSON.stringify(value)}`,
  );
  return `${count(times)}: ${field === "" ? "row" : field}, ${REASONS[code] ?? code} (${shown.join("; ")})`;
}
