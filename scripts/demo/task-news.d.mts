interface Context {
  readonly screen: import("./screen.mjs").Screen;
  readonly texts: import("./texts.mjs").Texts;
  readonly scripted: ReadonlySet<string>;
  elapsed(): number;
  whenSilent(print: () => void): void;
}

interface TaskNews {
  /** There may be news of this task. */
  task(task: { readonly taskId: string; readonly status: string; readonly updatedAt: string }): void;
  /** What this run has said at its end is told once; the status is null while it is under way. */
  run(run: { readonly runId: string; readonly agentId: string; readonly status: string | null }): void;
  settled(): Promise<void>;
}

export declare function createTaskNews(
  context: Context,
  api: { get(path: string): Promise<unknown> },
): TaskNews;
