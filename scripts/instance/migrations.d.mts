/** Brings the D1 below `stateDir` up to date. Throws a `Problem` with the next step. */
export declare function applyMigrations(options: {
  readonly stateDir: string;
  /** Name that marks the process, so that a later start can end what a killed one left. */
  readonly mark: string;
  /** Folder for wrangler's registry of running Workers. */
  readonly registry: string;
  readonly log: (line: string) => void;
}): Promise<void>;
