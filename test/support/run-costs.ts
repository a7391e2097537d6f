/** What is billed for one run, counted by `test/runtime/run-cost.test.ts`; docs/deploy.md reckons with it. */
export interface RunCost {
  /** Calls to objects, from the Worker and among each other. */
  readonly objectRequests: number;
  /** Rows written in objects. */
  readonly objectRows: number;
  readonly d1RowsWritten: number;
  readonly d1RowsRead: number;
}

/** `ask` is two runs: the asker's and the one that answers. */
export const RUN_COSTS = {
  plain: { objectRequests: 4, objectRows: 9, d1RowsWritten: 11, d1RowsRead: 25 },
  tool: { objectRequests: 4, objectRows: 14, d1RowsWritten: 17, d1RowsRead: 36 },
  ask: { objectRequests: 8, objectRows: 28, d1RowsWritten: 54, d1RowsRead: 141 },
} as const satisfies Record<string, RunCost>;
