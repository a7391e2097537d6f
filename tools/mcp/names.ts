/** Names of functions, from names that servers give, and marks. */

const MAX_NAME = 64;
const MARK_LENGTH = 7;

/** `Mcp_<server>_<tool>`, of letters, digits, `_` and `-`; what had to be changed ends in a mark of its own. */
export function functionName(server: string, tool: string): string {
  const plain = `Mcp_${server}_${tool}`;
  const usable = plain.replace(/[^A-Za-z0-9_-]/g, "_");
  if (usable === plain && plain.length <= MAX_NAME) return plain;
  return `${usable.slice(0, MAX_NAME - MARK_LENGTH - 1)}_${markOf(plain)}`;
}

/** FNV-1a; it tells texts apart, nothing more. Seven letters and digits. */
export function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(36).padStart(MARK_LENGTH, "0");
}
