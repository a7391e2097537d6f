/**
 * Rows that the product's objects insert, change or delete in their SQLite for one run. `test/runtime/bench-rows.test.ts` counts them.
 */
export const RUN_ROWS = { tool: 13, ask: 15, answer: 10 } as const;
