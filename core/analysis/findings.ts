/** All findings of a period, from roll-ups and the few rows that they lead to. */
import type { Reader } from "../record/reader.ts";
import { joinSums } from "./chain-sums.ts";
import { findDear, findDeep, findPingPong } from "./find-chains.ts";
import { findQuestions } from "./find-questions.ts";
import { type RateFinding, rateFindings } from "./find-rates.ts";
import { findSilted } from "./find-silted.ts";
import { FINDING_CODES, type Finding, type FindingCode, type Findings } from "./finding.ts";
import { sourcesOf } from "./finding-sources.ts";
import { readChainSums, readMessageSums, readPending, readRunSums } from "./read-rollups.ts";
import { type FigureInput, type Scope, scopeOf } from "./scope.ts";
import { withSentences } from "./sentences.ts";
import type { StatsClock } from "./stats.ts";

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
  const concerns = (finding: Pick<Told, "agents" | "code">) =>
    [filter.a, filter.b].every((agent) => agent === null || finding.agents.includes(agent)) &&
    (!input.code || finding.code === input.code);
  const [rated, others, pending] = await Promise.all([
    ratedFindings(reader, found.scope, concerns),
    otherFindings(reader, scope, clock),
    readPending(reader),
  ]);
  // Of a chain more agents are told from than are named: its findings are chosen where they are read.
  const ofCode = others.filter(({ code }) => !input.code || code === input.code);
  const findings = mostOfEach([...ofCode, ...rated]).map(withSentences);
  return { ok: true, findings: { period: scope.period, pending, findings } };
}

/** In the order of the codes, those that count most first. */
function mostOfEach<T extends Pick<Told, "code" | "count">>(findings: readonly T[]): T[] {
  return FINDING_CODES.flatMap((code) =>
    findings
      .filter((finding) => finding.code === code)
      .sort((x, y) => y.count - x.count)
      .slice(0, MAX_FINDINGS),
  );
}

async function ratedFindings(
  reader: Reader,
  scope: Scope,
  concerns: (finding: RateFinding) => boolean,
): Promise<Told[]> {
  const [messages, runs] = await Promise.all([readMessageSums(reader, scope), readRunSums(reader, scope)]);
  const rated = mostOfEach(rateFindings(messages, runs).filter(concerns));
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
  const chains = await readChainSums(reader, { ...scope, filter: { a: null, b: null, channel: null } });
  const lists = await Promise.all([
    findSilted(reader, scope, { ...clock, limit: MAX_FINDINGS }),
    findQuestions(reader, scope, 2 * MAX_FINDINGS),
    findPingPong(reader, scope, 2 * MAX_FINDINGS),
    findDear(reader, scope, joinSums(chains.map(({ sums }) => sums))),
    findDeep(reader, scope, 2 * MAX_FINDINGS),
  ]);
  return lists.flat();
}
