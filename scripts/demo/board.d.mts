import type { Texts } from "./texts.mjs";

interface BoardTask {
  readonly title: string;
  readonly creator: string;
  readonly assignee: string;
  readonly status: string;
  readonly attempts: number;
  readonly rejections: number;
  readonly result: string | null;
  readonly reason: string | null;
  readonly stages: readonly { readonly title: string; readonly assignee: string }[];
  readonly createdAt: string;
}

/** Lines: the headings, then for each task a line and what came of it, stages below the task before them. */
export declare function taskBoard(tasks: readonly BoardTask[], texts: Texts): string[];
