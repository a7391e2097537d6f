export interface Finding {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** All rules on one file; `file` is its path from the root, with slashes. In the order of lines. */
export declare function checkFile(file: string, text: string): Finding[];
