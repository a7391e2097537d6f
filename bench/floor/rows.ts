/**
 * Rows that the product's objects insert, change or delete in their SQLite for one run. `test/runtime/bench-rows.test.ts` counts them.
 */
export const RUN_ROWS = { tool: 12, ask: 14, answer: 9 } as const;
