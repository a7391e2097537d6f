import type { ReceiptRow, RunStatus } from "../record/rows.ts";

/** How a run ended, as those who wait for it hear it. */
export interface RunResult {
  readonly status: RunStatus;
  readonly reply: string;
  readonly receipt: ReceiptRow;
  /** Whether its chain has an object of its own. */
  readonly chained: boolean;
}
