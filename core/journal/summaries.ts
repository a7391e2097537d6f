/** What older turns of a conversation were condensed to. The turns themselves stay readable. */

import type { Usage } from "../model/types.ts";
import { type Database, first, int, ownJson, text } from "./database.ts";
import { packText, unpackText } from "./long-text.ts";
import type { CallTimes, StepCost } from "./steps.ts";

export interface Summary {
  readonly text: string;
  readonly upToTurn: number;
}

export interface NewSummary extends Summary {
  readonly conversation: number;
  /** The run that paid for it. */
  readonly runId: string;
  readonly cost: SummaryCost;
}

export type SummaryCost = StepCost & CallTimes & { readonly usage: Usage | null };

export function insertSummary(db: Database, summary: NewSummary): void {
  const key = `summary:${summary.conversation}:${summary.upToTurn}`;
  db.run(
    "INSERT INTO Summaries (conversation, runId, upToTurn, text, cost) VALUES (?, ?, ?, ?, ?)",
    summary.conversation,
    summary.runId,
    summary.upToTurn,
    packText(db, key, summary.text),
    JSON.stringify(summary.cost),
  );
}

export function latestSummary(db: Database, conversation: number): Summary | null {
  const row = first(
    db,
    "SELECT text, upToTurn FROM Summaries WHERE conversation = ? ORDER BY upToTurn DESC, id DESC LIMIT 1",
    conversation,
  );
  return row === null ? null : { text: unpackText(db, text(row, "text")), upToTurn: int(row, "upToTurn") };
}

/** What a run spent on condensing. */
export function summaryCosts(db: Database, runId: string): SummaryCost[] {
  return db
    .all("SELECT cost FROM Summaries WHERE runId = ? ORDER BY id", runId)
    .map((row) => ownJson<SummaryCost>(text(row, "cost")));
}
