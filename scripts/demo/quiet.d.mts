interface QuietTask {
  readonly taskId: string;
  readonly assignee: string;
  readonly status: string;
}

interface QuietChain {
  /** The status is null while a run is under way. */
  readonly runs: readonly { readonly runId: string; readonly status: string | null }[];
  readonly tasks: readonly QuietTask[];
}

export interface Reading {
  readonly chain: QuietChain;
  readonly agents: readonly { readonly state: string; readonly queued: number }[];
}

/** The tasks that are neither over nor blocked once nothing moves any more. */
export declare function waitForQuiet(demo: {
  read(): Promise<Reading>;
  onReading(chain: QuietChain): void;
  answer(task: QuietTask): Promise<void>;
  pause?(): Promise<unknown>;
}): Promise<readonly QuietTask[]>;
