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
  plain: { objectRequests: 4, objectRows: 10, d1RowsWritten: 10, d1RowsRead: 24 },
  tool: { objectRequests: 4, objectRows: 16, d1RowsWritten: 16, d1RowsRead: 36 },
  ask: { objectRequests: 13, objectRows: 36, d1RowsWritten: 66, d1RowsRead: 165 },
} as const satisfies Record<string, RunCost>;
