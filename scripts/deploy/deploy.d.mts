import type { Deployment } from "./deployment.mjs";

export interface WorldOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly configFile: string;
  /** False for a demo team that nobody named. */
  readonly configChosen: boolean;
  /** The command that goes on after a failure. */
  readonly again: string;
  readonly yes: boolean;
  readonly log: (line: string) => void;
  readonly pause: (ms: number) => Promise<void>;
  readonly buildViewer: (log: (line: string) => void) => Promise<void>;
  readonly fetch: typeof fetch;
}

export interface DeployOptions extends WorldOptions {
  readonly deployment: Deployment;
  /** Takes what was found as the instance's own without asking. */
  readonly adopt: boolean;
  /** Null where nobody could answer. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

export interface Wrangler {
  run(args: readonly string[], options?: { readonly cwd?: string }): Promise<unknown>;
}

export interface DeployContext extends DeployOptions {
  readonly mask: (text: string) => string;
  readonly wrangler: Wrangler;
}

/** Runs all steps; throws a `Problem` that names the failed one. */
export declare function deploy(
  context: DeployContext,
): Promise<{ readonly url: string; readonly api: string }>;
