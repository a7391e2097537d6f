/** What a report's words are given: numbers are written out already, names are harmless. */
import type { Finding } from "../analysis/finding.ts";
import type { Delegations } from "../analysis/stats-view.ts";
import type { AskFigures } from "./figures.ts";

/** A figure of the period by its name, with the one before it in brackets. */
type Compared<Key extends string> = (name: Key) => string;

export interface DearLine {
  readonly cost: string;
  readonly runs: string;
  readonly agent: string;
  readonly chain: string;
  /** Some of its runs have no known price. */
  readonly atLeast: boolean;
}

export interface SiltedLine {
  readonly task: string;
  readonly creator: string;
  readonly assignee: string;
  readonly hours: string;
}

export interface FindingWriter {
  readonly number: (value: number) => string;
  /** US dollars. */
  readonly dollars: (value: number) => string;
}

export interface ReportWords {
  /** For `Intl`. */
  readonly locale: string;
  readonly unknown: string;
  readonly nothing: (from: string, to: string) => string;
  readonly title: (from: string, to: string, days: number) => string;
  readonly delegations: (figures: Compared<keyof Delegations>) => string;
  readonly asks: (figures: Compared<keyof AskFigures>) => string;
  readonly answer: (median: string) => string;
  readonly cost: (cost: string) => string;
  readonly unpriced: (unpriced: string, runs: string) => string;
  readonly dearest: string;
  readonly dear: (line: DearLine) => string;
  readonly silted: (count: string) => string;
  readonly siltedTask: (line: SiltedLine) => string;
  readonly findings: (count: string) => string;
  /** Why it is shown and what the cause may be. `finding` holds names as they may be shown. */
  readonly finding: (finding: Finding, write: FindingWriter) => string;
  readonly more: (count: string) => string;
  readonly pending: (count: string) => string;
  readonly link: (address: string) => string;
}
