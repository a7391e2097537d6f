/** Figures as a text for people. Plain lines, so that every kind of channel shows the same. */
import type { Finding } from "../analysis/finding.ts";
import type { ReportConfig } from "../config/report.ts";
import { wallTime } from "../jobs/zone.ts";
import { english } from "./english.ts";
import type { PeriodFigures, ReportFigures } from "./figures.ts";
import { german } from "./german.ts";
import { shownName } from "./shown-name.ts";
import type { ReportWords } from "./words.ts";

const WORDS: Readonly<Record<ReportConfig["language"], ReportWords>> = { en: english, de: german };

/** A notice shows up to 3,000 characters in a channel; a mask may make the text a little longer. */
export const REPORT_CHARS = 2_800;
const CHAINS = 3;
const TASKS = 3;
const FINDINGS = 4;

export interface ReportTextInput {
  readonly figures: ReportFigures;
  readonly report: Pick<ReportConfig, "days" | "language" | "viewerUrl">;
  readonly timeZone: string;
  /** Takes secrets out of a whole text: names are masked before they are cut (L5). */
  readonly scrub: (text: string) => string;
}

/** At most `REPORT_CHARS` characters. */
export function reportText(input: ReportTextInput): string {
  const { figures, timeZone, report } = input;
  const words = WORDS[report.language];
  const { start, end } = figures.periods.now;
  const [from, to] = [timeText(start, timeZone), timeText(end, timeZone)];
  if (isEmpty(figures)) return words.nothing(from, to);
  const writer = writerOf(words, input.scrub);
  const last = linkOf(figures, report).map(words.link);
  const lines = [
    words.title(from, to, report.days),
    ...periodLines(writer, figures),
    ...dearLines(writer, figures),
    ...siltedLines(writer, figures),
    ...findingLines(writer, figures),
    ...(figures.pending === 0 ? [] : [words.pending(writer.number(figures.pending))]),
  ];
  return [...fitting(lines, REPORT_CHARS - last.join("\n").length), ...last].join("\n");
}

/** Work that stands still makes no rows, and is what a person should hear of first. */
function isEmpty({ now, silted, pending }: ReportFigures): boolean {
  const isQuiet = now.messages === 0 && now.runs === 0 && now.delegations.total === 0;
  return isQuiet && silted.length === 0 && pending === 0;
}

/** `2026-03-02 07:00`, as clocks there show it: the same in every language. */
function timeText(at: number, timeZone: string): string {
  return new Date(wallTime(at, timeZone)).toISOString().slice(0, 16).replace("T", " ");
}

interface Writer {
  readonly words: ReportWords;
  readonly name: (name: string) => string;
  readonly number: (value: number) => string;
  /** US dollars; null is unknown. */
  readonly dollars: (value: number | null) => string;
  /** Milliseconds; null is none. */
  readonly duration: (value: number | null) => string;
}

function writerOf(words: ReportWords, scrub: (text: string) => string): Writer {
  const number = new Intl.NumberFormat(words.locale, { maximumFractionDigits: 1 });
  const money = new Intl.NumberFormat(words.locale, { minimumFractionDigits: 2, maximumFractionDigits: 4 });
  return {
    words,
    name: (name) => shownName(scrub(name)),
    number: (value) => number.format(value),
    dollars: (value) => (value === null ? words.unknown : `${money.format(value)} USD`),
    duration: (value) => (value === null ? "-" : durationText(value, (units) => number.format(units))),
  };
}

const UNITS = [
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

function durationText(ms: number, write: (units: number) => string): string {
  const [unit, length] = UNITS.find(([, size]) => ms >= size) ?? ["ms", 1];
  return `${write(unit === "ms" ? Math.round(ms) : ms / length)} ${unit}`;
}

function periodLines({ words, number, dollars, duration }: Writer, { now, before }: ReportFigures): string[] {
  const compared =
    <Key extends string>(ours: Readonly<Record<Key, number>>, theirs: Readonly<Record<Key, number>>) =>
    (name: Key) =>
      `${number(ours[name])} (${number(theirs[name])})`;
  const cost = (period: PeriodFigures) => dollars(period.runs === 0 ? 0 : period.costUsd);
  return [
    words.delegations(compared(now.delegations, before.delegations)),
    words.asks(compared(now.asks, before.asks)),
    words.answer(`${duration(now.answerMs)} (${duration(before.answerMs)})`),
    words.cost(`${cost(now)} (${cost(before)})`),
    ...(now.unpricedRuns === 0 ? [] : [words.unpriced(number(now.unpricedRuns), number(now.runs))]),
  ];
}

function dearLines({ words, name, number, dollars }: Writer, { dearest }: ReportFigures): string[] {
  if (dearest.length === 0) return [];
  const lines = dearest.slice(0, CHAINS).map(({ costUsd, runs, agentId, rootRunId, unpricedRuns }) =>
    words.dear({
      cost: dollars(costUsd),
      runs: number(runs),
      agent: name(agentId),
      chain: name(rootRunId),
      atLeast: unpricedRuns > 0,
    }),
  );
  return [words.dearest, ...lines];
}

function siltedLines({ words, name, number }: Writer, { silted }: ReportFigures): string[] {
  if (silted.length === 0) return [];
  const lines = silted.slice(0, TASKS).map(({ taskId, creator, assignee, hours }) =>
    words.siltedTask({
      task: name(taskId),
      creator: name(creator),
      assignee: name(assignee),
      hours: number(hours),
    }),
  );
  const left = silted.length - lines.length;
  return [words.silted(number(silted.length)), ...lines, ...(left > 0 ? [words.more(number(left))] : [])];
}

function findingLines({ words, name, number, dollars }: Writer, { findings }: ReportFigures): string[] {
  if (findings.length === 0) return [];
  const lines = variedFirst(findings)
    .slice(0, FINDINGS)
    .map((finding) => words.finding(harmless(finding, name), { number, dollars }));
  const left = findings.length - lines.length;
  return [words.findings(number(findings.length)), ...lines, ...(left > 0 ? [words.more(number(left))] : [])];
}

function harmless(finding: Finding, name: Writer["name"]): Finding {
  const { agents, taskId } = finding;
  return { ...finding, agents: agents.map(name), taskId: taskId === null ? null : name(taskId) };
}

/** The first of each code, then the second of each: ten pairs that fail would hide everything else. */
function variedFirst(findings: readonly Finding[]): Finding[] {
  const seen = new Map<string, number>();
  const ranked = findings.map((finding) => {
    const rank = seen.get(finding.code) ?? 0;
    seen.set(finding.code, rank + 1);
    return { finding, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ finding }) => finding);
}

/** Days of UTC, as the view counts them. */
function linkOf({ periods }: ReportFigures, { viewerUrl }: ReportTextInput["report"]): string[] {
  if (viewerUrl === undefined) return [];
  const { start, end } = periods.now;
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return [`${viewerUrl.replace(/\/+$/, "")}/insight?since=${day(start)}&until=${day(end - 1)}`];
}

/** As many lines as there is room for. */
function fitting(lines: readonly string[], chars: number): string[] {
  let used = 0;
  const whole = lines.findIndex((line) => {
    used += line.length + 1;
    return used > chars;
  });
  return whole === -1 ? [...lines] : lines.slice(0, whole);
}
