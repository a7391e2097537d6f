/** Tables as CSV (RFC 4180, UTF-8). No I/O. */
import type { Finding } from "./finding.ts";
import type { Stats, TableName } from "./stats-view.ts";

type CsvCell = string | number | null;
type CsvRow = Readonly<Record<string, CsvCell>>;

/** One figure as rows: what the API answers for `figure=`. Nested spreads are named `answerMs.median`. */
export function tableOf(stats: Stats, name: TableName): readonly CsvRow[] {
  switch (name) {
    case "messages":
    case "delegations":
      return [flat(stats[name])];
    case "answerMs":
    case "resultMs":
      return stats[name].bars.map(flat);
    case "chains":
      return [flat({ ...stats.chains, bars: undefined })];
    default:
      return stats[name].map(flat);
  }
}

export function findingRow(finding: Finding): CsvRow {
  const { numbers, agents, messageIds, rootRunIds, example, ...plain } = finding;
  return {
    ...plain,
    agents: agents.join(" "),
    numbers: Object.entries(numbers)
      .map(([name, value]) => `${name}=${value ?? "unknown"}`)
      .join(" "),
    question: example?.question ?? null,
    answer: example?.answer ?? null,
    messageIds: messageIds.join(" "),
    rootRunIds: rootRunIds.join(" "),
  };
}

function flat(value: object): CsvRow {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, cell]): [string, CsvCell][] => {
      if (cell === null || typeof cell === "string" || typeof cell === "number") return [[name, cell]];
      return typeof cell === "object"
        ? Object.entries(flat(cell)).map(([inner, own]) => [`${name}.${inner}`, own])
        : [];
    }),
  );
}

/** A text that a spreadsheet would take for a formula gets an apostrophe in front. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvOf(rows: readonly CsvRow[]): string {
  const [first] = rows;
  if (first === undefined) return "";
  const names = Object.keys(first);
  return [names.map(csvCell), ...rows.map((row) => names.map((name) => csvCell(row[name] ?? null)))]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("");
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return "";
  const text = typeof cell === "string" && FORMULA.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
