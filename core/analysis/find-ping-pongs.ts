/** Looks for back and forth over several chains around messages that have just come in. */
import { ownJson } from "../journal/database.ts";
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { ChainMessage } from "./chain-facts.ts";
import { isTurn, surprisingExchanges, WINDOW_MS } from "./ping-pong.ts";
import { pingPongs } from "./schema.ts";

type PingPongRow = Readonly<typeof pingPongs.$inferSelect>;

/** Rows are read in windows of this length and some time around. */
const SLICE_MS = 3_600_000;
const AROUND_MS = 20 * WINDOW_MS;
const MAX_WINDOWS = 500;
const MAX_TURNS = 600;
const KEPT_MESSAGES = 100;

export interface FoundPingPongs {
  readonly rows: readonly PingPongRow[];
  /** Ids of rows that go: they hold parts of those. */
  readonly parts: readonly number[];
}

/**
 * Exchanges that hold one of the messages, as rows. A look sees some hours only: what it sees of an exchange that
 * goes on for longer is joined with what former looks saw. Rejects when D1 does.
 */
export async function findPingPongs(
  reader: Reader,
  messages: readonly ChainMessage[],
): Promise<FoundPingPongs> {
  const windows = [...windowsOf(messages)].slice(0, MAX_WINDOWS);
  if (windows.length === 0) return { rows: [], parts: [] };
  const turns = await reader.all<ChainMessage>(TURNS, JSON.stringify(windows), MAX_TURNS);
  const found = [...Map.groupBy(turns, (turn) => turn.pairKey)].flatMap(([pairKey, all]) =>
    surprisingExchanges(unique(all))
      .filter(overSeveralChains)
      .map((piece) => rowOf(pairKey, piece)),
  );
  if (found.length === 0) return { rows: [], parts: [] };
  const known = await reader.all<PingPongRow>(
    KNOWN,
    JSON.stringify(found.map(({ pairKey, firstAt, lastAt }) => [pairKey, firstAt, lastAt])),
  );
  const rows = found.map((row) => known.filter((part) => overlap(row, part)).reduce(joined, row));
  return { rows, parts: known.map(({ messageId }) => messageId) };
}

const KNOWN = `SELECT DISTINCT ${selectList(pingPongs, "p")} FROM json_each(?) f JOIN "PingPongs" p
  ON p."PairKey" = json_extract(f."value", '$[0]') AND p."LastAt" >= json_extract(f."value", '$[1]') AND p."FirstAt" <= json_extract(f."value", '$[2]')`;

function overlap(a: PingPongRow, b: PingPongRow): boolean {
  return a.pairKey === b.pairKey && a.lastAt >= b.firstAt && a.firstAt <= b.lastAt;
}

/** Both see the same exchange: the later one adds the messages that come after the earlier one's end. */
function joined(a: PingPongRow, b: PingPongRow): PingPongRow {
  const [early, late] = a.messageId <= b.messageId ? [a, b] : [b, a];
  if (late.lastAt <= early.lastAt) return early;
  const messages = ownJson<[number, string][]>(early.messages);
  const end = messages.at(-1)?.[0] ?? 0;
  const more = ownJson<[number, string][]>(late.messages).filter(([id]) => id > end);
  return {
    ...early,
    turns: early.turns + more.length,
    lastAt: late.lastAt,
    messages: JSON.stringify([...messages, ...more].slice(-KEPT_MESSAGES)),
  };
}

/** Pair, beginning and end; a pair that speaks once needs no look around. */
function windowsOf(messages: readonly ChainMessage[]): Iterable<readonly [string, string, string]> {
  const windows = new Map<string, readonly [string, string, string]>();
  for (const { pairKey, at } of messages.filter(isTurn)) {
    const slice = Math.floor(Date.parse(at) / SLICE_MS) * SLICE_MS;
    const iso = (ms: number) => new Date(ms).toISOString();
    windows.set(`${pairKey} ${slice}`, [pairKey, iso(slice - AROUND_MS), iso(slice + SLICE_MS + AROUND_MS)]);
  }
  return windows.values();
}

const TURNS = `SELECT m."RootRunId" AS "rootRunId", m."Id" AS "id", m."PairKey" AS "pairKey", m."FromAgentId" AS "from", m."ToAgentId" AS "to",
    m."Channel" AS "channel", m."Direction" AS "direction", m."RunId" AS "runId", m."OccurredAt" AS "at"
  FROM json_each(?1) w JOIN "AgentMessages" m ON m."Id" IN (
    SELECT x."Id" FROM "AgentMessages" x WHERE x."PairKey" = json_extract(w."value", '$[0]')
      AND (x."Channel" IN ('task_comment', 'mail') OR x."Direction" = 'request')
      AND x."OccurredAt" BETWEEN json_extract(w."value", '$[1]') AND json_extract(w."value", '$[2]')
    ORDER BY x."OccurredAt" LIMIT ?2)
  ORDER BY m."OccurredAt", m."Id"`;

/** Windows overlap. */
function unique(turns: readonly ChainMessage[]): ChainMessage[] {
  return [...new Map(turns.map((turn) => [turn.id, turn])).values()];
}

/** Within one chain the chain's own facts tell of it. */
function overSeveralChains(piece: readonly ChainMessage[]): boolean {
  return new Set(piece.map(({ rootRunId }) => rootRunId)).size > 1;
}

function rowOf(pairKey: string, piece: readonly ChainMessage[]): PingPongRow {
  return {
    messageId: piece[0]?.id ?? 0,
    pairKey,
    turns: piece.length,
    firstAt: piece[0]?.at ?? "",
    lastAt: piece.at(-1)?.at ?? "",
    messages: JSON.stringify(piece.slice(-KEPT_MESSAGES).map(({ id, rootRunId }) => [id, rootRunId])),
  };
}
