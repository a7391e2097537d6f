/** Arguments for vitest, one list for each runner. */
export const RUNNERS: readonly (readonly string[])[];
