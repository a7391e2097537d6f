import type { DeployContext, DeployOptions } from "./deploy.mjs";

interface CommandOptions {
  /** The executable and its first arguments; default wrangler. */
  readonly command?: readonly string[];
  /** A signal that ends a command which hangs. */
  readonly limit?: (args: readonly string[]) => AbortSignal;
}

/** Adds what takes secrets out of texts, and wrangler. */
export declare function createContext(options: DeployOptions, command?: CommandOptions): DeployContext;
