import type { Wrangler } from "./deploy.mjs";

export interface CommandOptions {
  /** The executable and its first arguments; default wrangler. */
  readonly command?: readonly string[];
  /** A signal that ends a command which hangs. */
  readonly limit?: (args: readonly string[]) => AbortSignal;
  /** Runs a command; `problem` is null where it ended well. Default: as a process. */
  readonly execute?: (
    command: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  ) => Promise<{ readonly stdout: string; readonly stderr: string; readonly problem: string | null }>;
}

/** Runs wrangler for a deployment. */
export declare function createWrangler(
  options: CommandOptions & { readonly mask: (text: string) => string },
): Wrangler;
