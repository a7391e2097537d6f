/**
 * Rows that the product's objects insert, change or delete in their SQLite for one run: the agent's and the
 * chain's. `test/runtime/bench-rows.test.ts` counts them.
 */
export const RUN_ROWS = { tool: 12, ask: 18, answer: 10 } as const;
