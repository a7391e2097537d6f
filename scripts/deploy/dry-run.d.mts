import type { WorldOptions, Wrangler } from "./deploy.mjs";

export interface Measured {
  readonly allToolsKib: number;
  readonly withoutDriversKib: number;
  readonly startupMs: number;
  readonly secrets: readonly string[];
}

export interface DryRunContext extends WorldOptions {
  readonly name: string;
  readonly mask: (text: string) => string;
  readonly wrangler: Wrangler;
}

/** Throws a `Problem` that names the failed step. */
export declare function dryRun(context: DryRunContext): Promise<Measured>;
