export interface FoundImport {
  /** As written. */
  readonly from: string;
  /** From 1. */
  readonly line: number;
  readonly typeOnly: boolean;
}

/** Every module that a TypeScript or JavaScript source names. */
export declare function findImports(source: string): FoundImport[];
