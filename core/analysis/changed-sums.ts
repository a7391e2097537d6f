/** The sums over chains that a change of single chains leads to. */
import { ownJson } from "../journal/database.ts";
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { addChain, type ChainSums, NO_CHAINS, takeChain } from "./chain-sums.ts";
import { keysOf } from "./period.ts";
import { chainRollups } from "./schema.ts";

export interface Change {
  readonly before: ChainFacts | null;
  readonly now: ChainFacts;
}

type SumsRow = Readonly<typeof chainRollups.$inferSelect>;

/** Rows as they shall be. Rejects when D1 does. */
export async function changedSums(reader: Reader, changes: readonly Change[]): Promise<SumsRow[]> {
  const places = new Map(
    changes.flatMap(({ before, now }) => [...(before === null ? [] : placesOf(before)), ...placesOf(now)]),
  );
  const rows = await reader.all<SumsRow>(SUMS_AT, JSON.stringify([...places.values()]));
  const sums = new Map(
    rows.map((row) => [
      JSON.stringify([row.period, row.agentId, row.trigger, row.model]),
      ownJson<ChainSums>(row.sums),
    ]),
  );
  for (const { before, now } of changes) {
    if (before !== null)
      for (const [key] of placesOf(before)) sums.set(key, takeChain(sums.get(key) ?? NO_CHAINS, before));
    for (const [key] of placesOf(now)) sums.set(key, addChain(sums.get(key) ?? NO_CHAINS, now));
  }
  return [...places].map(([key, [period, agentId, trigger, model]]) => ({
    period,
    agentId,
    trigger,
    model,
    sums: JSON.stringify(sums.get(key) ?? NO_CHAINS),
  }));
}

type Place = readonly [period: string, agentId: string, trigger: string, model: string];

function placesOf(facts: ChainFacts): [string, Place][] {
  return keysOf(facts.startedAt).map((period) => {
    const place: Place = [period, facts.agentId, facts.trigger, facts.model];
    return [JSON.stringify(place), place];
  });
}

const SUMS_AT = `SELECT ${selectList(chainRollups, "c")} FROM json_each(?) k JOIN "ChainRollups" c
  ON c."Period" = json_extract(k."value", '$[0]') AND c."AgentId" = json_extract(k."value", '$[1]')
  AND c."Trigger" = json_extract(k."value", '$[2]') AND c."Model" = json_extract(k."value", '$[3]')`;
