/** Looking into a document that may be anything, for the checks that go on although its shape is wrong. */

/** Deeper documents are refused before anything walks them. */
const MAX_DEPTH = 40;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value's own property, undefined when it is no object or has none of that name. */
export function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The list's items; none when the value is no list. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function childrenOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? Object.values(value) : itemsOf(value);
}

/** Whether lists and objects are nested deeper than any config needs. Uses no recursion itself. */
export function isTooDeep(document: unknown): boolean {
  let level: readonly unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}
