import type { DocumentChange } from "../../core/config/diff.ts";

export function changeLines(documents: readonly DocumentChange[]): string[];
