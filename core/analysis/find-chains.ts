/** Findings about chains: the dear ones, deep ones that fail, back and forth. */
import { ownJson } from "../journal/database.ts";
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { ChainFacts } from "./chain-facts.ts";
import type { ChainSums } from "./chain-sums.ts";
import type { Cause, Finding } from "./finding.ts";
import { joinSources, MAX_SOURCES } from "./finding-sources.ts";
import { spreadOf } from "./histogram.ts";
import { MIN_TURNS } from "./ping-pong.ts";
import { chainFacts, pingPongs } from "./schema.ts";
import type { Scope } from "./scope.ts";

type Told = Omit<Finding, "text" | "causeText">;
type PingPongRow = Readonly<typeof pingPongs.$inferSelect>;

const MICROS = 1e-6;
/** Of a chain's agents so many are named. */
const MAX_AGENTS = 20;
/** Of fewer chains nobody can say what is usual. */
const MIN_CHAINS = 20;
/** How many chains chance may show among all. */
const BY_CHANCE = 0.05;
const MIN_SPREAD = 0.3;
/** The standard normal distribution's 95th percentile. */
const Z95 = 1.645;
const MIN_TIMES_P95 = 3;

/**
 * Costs are spread as a logarithmic normal distribution: median and 95th percentile say how wide. Dear is what
 * would be expected in fewer than one of twenty such collections of chains. Null: too few to tell.
 */
export function dearLimitMicros(sums: ChainSums): number | null {
  const { count, median, p95 } = spreadOf(sums.costs);
  if (count < MIN_CHAINS || median === null || p95 === null) return null;
  const center = Math.log(Math.max(median, 1));
  const spread = Math.max(MIN_SPREAD, (Math.log(Math.max(p95, 1)) - center) / Z95);
  const farOut = Math.exp(center + spread * Math.sqrt(2 * Math.log(count / BY_CHANCE)));
  return Math.max(farOut, MIN_TIMES_P95 * p95);
}

/** Rejects when D1 does. */
export async function findDear(
  reader: Reader,
  { filter }: Pick<Scope, "filter">,
  sums: ChainSums,
): Promise<Told[]> {
  const limit = dearLimitMicros(sums);
  const dear = limit === null ? [] : sums.dear.filter(([micros]) => micros > limit);
  const facts = await factsBy(
    reader,
    `f."RootRunId" IN (SELECT "value" FROM json_each(?))${inChain(filter)} ORDER BY f."CostMicros" DESC`,
    [JSON.stringify(dear.map(([, rootRunId]) => rootRunId)), ...agentsOf(filter)],
  );
  const { median, p95 } = spreadOf(sums.costs, MICROS);
  return withMessages(
    reader,
    facts.map((chain) => ({
      ...chainFinding("dear_chain", chain),
      cause: dearCause(chain),
      count: 1,
      numbers: {
        costUsd: chain.costMicros * MICROS,
        medianUsd: median,
        p95Usd: p95,
        runs: chain.runs,
        unpricedRuns: chain.unpriced,
      },
    })),
  );
}

function dearCause(chain: ChainFacts): Cause {
  if (chain.stepLimitRuns > 0) return "small_budget";
  if (chain.turns >= MIN_TURNS) return "unclear_responsibility";
  return chain.failedRuns > 0 ? "failing_colleague" : "missing_knowledge";
}

/** Rejects when D1 does. */
export async function findDeep(
  reader: Reader,
  scope: Pick<Scope, "period" | "filter">,
  limit: number,
): Promise<Told[]> {
  const { since, before } = scope.period;
  const facts = await factsBy(
    reader,
    `f."DeepFailed" > 0 AND f."StartedAt" >= ? AND f."StartedAt" < ?${inChain(scope.filter)} ORDER BY f."StartedAt" DESC LIMIT ?`,
    [since ?? "", before ?? "~", ...agentsOf(scope.filter), limit],
  );
  return withMessages(
    reader,
    facts.map((chain) => ({
      ...chainFinding("deep_chain_fails", chain),
      cause: chain.stepLimitRuns > 0 ? ("small_budget" as const) : ("unclear_responsibility" as const),
      count: chain.deepFailed,
      numbers: { runs: chain.runs, failedRuns: chain.failedRuns },
    })),
  );
}

const agentsOf = ({ a, b }: Scope["filter"]) => [a, b].filter((agent): agent is string => agent !== null);

/** One of the chain's runs was each agent's. */
const inChain = (filter: Scope["filter"]) =>
  agentsOf(filter)
    .map(() => ` AND EXISTS (SELECT 1 FROM json_each(f."Agents") j WHERE j."value" = ?)`)
    .join("");

/** Each agent is one of the pair. */
const inPair = (pair: string, filter: Scope["filter"]) =>
  agentsOf(filter)
    .map(() => ` AND instr('|' || ${pair} || '|', '|' || ? || '|') > 0`)
    .join("");

function factsBy(reader: Reader, where: string, params: readonly (string | number)[]): Promise<ChainFacts[]> {
  return reader.all<ChainFacts>(
    `SELECT ${selectList(chainFacts, "f")} FROM "ChainFacts" f WHERE ${where}`,
    ...params,
  );
}

function chainFinding(code: "dear_chain" | "deep_chain_fails" | "ping_pong", chain: ChainFacts) {
  return {
    id: `${code}:${chain.rootRunId}`,
    code,
    agents:
      code === "ping_pong"
        ? chain.turnsPair.split("|")
        : ownJson<string[]>(chain.agents).slice(0, MAX_AGENTS),
    channel: null,
    taskId: null,
    firstAt: chain.startedAt,
    lastAt: chain.endedAt,
    messageIds: [],
    rootRunIds: [chain.rootRunId],
    example: null,
  };
}

/** Rejects when D1 does. */
export async function findPingPong(
  reader: Reader,
  scope: Pick<Scope, "period" | "filter">,
  limit: number,
): Promise<Told[]> {
  const { since, before } = scope.period;
  const inChains = await factsBy(
    reader,
    `f."Turns" >= 6 AND f."StartedAt" >= ? AND f."StartedAt" < ?${inPair(`f."TurnsPair"`, scope.filter)} ORDER BY f."StartedAt" DESC LIMIT ?`,
    [since ?? "", before ?? "~", ...agentsOf(scope.filter), limit],
  );
  const over = await reader.all<PingPongRow>(
    `SELECT ${selectList(pingPongs, "p")} FROM "PingPongs" p WHERE p."LastAt" >= ? AND p."FirstAt" < ?${inPair(`p."PairKey"`, scope.filter)} ORDER BY p."LastAt" DESC LIMIT ?`,
    since ?? "",
    before ?? "~",
    ...agentsOf(scope.filter),
    limit,
  );
  const found = await withMessages(
    reader,
    inChains.map((chain) => ({
      ...chainFinding("ping_pong", chain),
      cause: "unclear_responsibility" as const,
      count: chain.turns,
      numbers: { chains: 1 },
    })),
  );
  return [...found, ...over.map(overChains)];
}

function overChains(row: PingPongRow): Told {
  const messages = ownJson<[number, string][]>(row.messages).slice(-MAX_SOURCES);
  const rootRunIds = [...new Set(messages.map(([, rootRunId]) => rootRunId))];
  return {
    id: `ping_pong:${row.messageId}`,
    code: "ping_pong",
    cause: "unclear_responsibility",
    count: row.turns,
    numbers: { chains: rootRunIds.length },
    agents: row.pairKey.split("|"),
    channel: null,
    taskId: null,
    firstAt: row.firstAt,
    lastAt: row.lastAt,
    messageIds: messages.map(([id]) => id),
    rootRunIds,
    example: null,
  };
}

/** The last messages of each chain. */
async function withMessages(reader: Reader, findings: readonly Told[]): Promise<Told[]> {
  if (findings.length === 0) return [];
  const roots = findings.flatMap(({ rootRunIds }) => rootRunIds);
  const rows = await reader.all<{ id: number; rootRunId: string; at: string }>(
    LAST_MESSAGES,
    JSON.stringify(roots),
    MAX_SOURCES,
  );
  const byRoot = Map.groupBy(rows, ({ rootRunId }) => rootRunId);
  return findings.map((finding) => ({
    ...finding,
    messageIds: joinSources(byRoot.get(finding.rootRunIds[0] ?? "") ?? []).messageIds,
  }));
}

const LAST_MESSAGES = `SELECT m."Id" AS "id", m."RootRunId" AS "rootRunId", m."OccurredAt" AS "at"
  FROM json_each(?1) c JOIN "AgentMessages" m ON m."Id" IN (
    SELECT x."Id" FROM "AgentMessages" x WHERE x."RootRunId" = c."value" ORDER BY x."OccurredAt" DESC LIMIT ?2)
  ORDER BY m."OccurredAt" DESC, m."Id" DESC`;
