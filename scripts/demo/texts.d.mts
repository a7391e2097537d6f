/** What the demo says; only what tests need is typed. */
export interface Texts {
  readonly columns: readonly string[];
  readonly taskColumns: readonly string[];
  outcomeOf(status: string): string;
  taskStatus(name: string): string;
  count(number: number | null): string;
  duration(ms: number | undefined): string;
  cost(usd: number | null): string;
  trigger(name: string): string;
  status(name: string | null): string;
}

export declare function textsIn(language: "en" | "de"): Texts;
