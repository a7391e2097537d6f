/** How long to wait after failures. No I/O. */

export interface Waits {
  /** Milliseconds after the first failure; each further one doubles it. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Milliseconds to wait after so many failures in a row, 1 or more. `random`, 0 to 1, spreads them by a quarter, so that
 * many who failed together do not come back together.
 */
export function backOffMs({ firstMs, longestMs }: Waits, failures: number, random = 0.5): number {
  const wait = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return Math.round(wait * (0.75 + random / 2));
}
