export interface WranglerOptions {
  /** Prefix of its output lines. */
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Marks every process of this server, so that none outlives it. */
  readonly mark: string;
  /** Folder of the dev registry. */
  readonly registry: string;
  readonly log: (line: string) => void;
}

export interface WranglerServer {
  /** Its port, once it serves. */
  readonly ready: Promise<number>;
  /** What is wrong with its code, once that cannot be started; open otherwise. */
  readonly codeFault: Promise<Error>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stop(): Promise<void>;
}

/** Starts a wrangler server in our process group. */
export declare function spawnServer(options: WranglerOptions): WranglerServer;

/** Runs a wrangler command to its end; throws when its exit code is not 0. */
export declare function runWrangler(options: Omit<WranglerOptions, "log">): Promise<void>;
