/**
 * Rows that the product's objects insert, change or delete in their SQLite for one run, all objects together.
 * `test/runtime/bench-rows.test.ts` counts them.
 */
export const RUN_ROWS = { tool: 20, ask: 30, answer: 12 } as const;
