/** All findings of a period, from roll-ups and the few rows that they lead to. */
import type { Reader } from "../record/reader.ts";
import { joinSums } from "./chain-sums.ts";
import { findDear, findDeep, findPingPong } from "./find-chains.ts";
import { findQuestions } from "./find-questions.ts";
import { rateFindings } from "./find-rates.ts";
import { findSilted } from "./find-silted.ts";
import { FINDING_CODES, type Finding, type FindingCode, type Findings } from "./finding.ts";
import { sourcesOf } from "./finding-sources.ts";
import { readChainSums, readMessageSums, readPending, readRunSums } from "./read-rollups.ts";
import { type FigureInput, type Scope, scopeOf } from "./scope.ts";
import { withSentences } from "./sentences.ts";
import type { StatsClock } from "./stats.ts";
import { readUnfinished } from "./unfinished.ts";

type Told = Omit<Finding, "text" | "causeText">;

export interface FindingsInput extends Omit<FigureInput, "channel"> {
  readonly code?: FindingCode | "" | null | undefined;
}

export type FindingsResult =
  | { readonly ok: true; readonly findings: Findings }
  | {
      readonly ok: false;
      readonly problem: { readonly code: "bad_time"; readonly parameter: "since" | "until" };
    };

/** Of one code. */
const MAX_FINDINGS = 50;

/** Rejects when D1 does. */
export async function readFindings(
  reader: Reader,
  input: FindingsInput,
  clock: StatsClock,
): Promise<FindingsResult> {
  // What is usual is told from everybody's messages; agents only choose among the findings.
  const found = await scopeOf(reader, { since: input.since, until: input.until });
  if (!found.ok) return found;
  const filter = { a: input.a || null, b: input.b || null, channel: null };
  const scope = { ...found.scope, filter };
  const [rated, others, pending] = await Promise.all([
    ratedFindings(reader, found.scope),
    otherFindings(reader, scope, clock),
    readPending(reader),
  ]);
  const concerns = (finding: Told) =>
    [filter.a, filter.b].every((agent) => agent === null || finding.agents.includes(agent)) &&
    (!input.code || finding.code === input.code);
  const all = [...others, ...rated].filter(concerns);
  const findings = FINDING_CODES.flatMap((code) =>
    all
      .filter((finding) => finding.code === code)
      .sort((x, y) => y.count - x.count)
      .slice(0, MAX_FINDINGS)
      .map(withSentences),
  );
  return { ok: true, findings: { period: scope.period, pending, findings } };
}

async function ratedFindings(reader: Reader, scope: Scope): Promise<Told[]> {
  const [messages, runs] = await Promise.all([readMessageSums(reader, scope), readRunSums(reader, scope)]);
  const rated = rateFindings(messages, runs)
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_FINDINGS);
  return Promise.all(
    rated.map(async ({ key, hour: _told, ...finding }) => ({
      ...finding,
      id: `${finding.code}:${key}`,
      taskId: null,
      example: null,
      ...(await sourcesOf(reader, { key, hour: _told, ...finding }, scope.period)),
    })),
  );
}

async function otherFindings(reader: Reader, scope: Scope, clock: StatsClock): Promise<Told[]> {
  const [chains, unfinished] = await Promise.all([
    readChainSums(reader, { ...scope, filter: { a: null, b: null, channel: null } }),
    readUnfinished(reader, scope, clock),
  ]);
  const lists = await Promise.all([
    findSilted(reader, unfinished, { now: clock.now, limit: MAX_FINDINGS }),
    findQuestions(reader, scope, 2 * MAX_FINDINGS),
    findPingPong(reader, scope, 2 * MAX_FINDINGS),
    findDear(reader, joinSums(chains.map(({ sums }) => sums))),
    findDeep(reader, scope, 2 * MAX_FINDINGS),
  ]);
  return lists.flat();
}
