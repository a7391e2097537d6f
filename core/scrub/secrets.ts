/** Which values are secret, and in which spellings they are looked for. */
import { MIN_SECRET_CHARS, type Pattern } from "./matcher.ts";

/**
 * Every string of the environment of eight or more characters whose name is not in `plainVars`, by name.
 * Bindings and other values that are not strings are left out.
 */
export function knownSecrets(
  env: Readonly<Record<string, unknown>>,
  plainVars: readonly string[],
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== "string" || value.length < MIN_SECRET_CHARS || plainVars.includes(name)) continue;
    secrets.set(name, value);
  }
  return secrets;
}

/**
 * The strings to look for: each value without outer white space (a secret set from a file ends in a newline
 * that nobody sends), and each long base64 line of a value with several lines, because such keys are quoted
 * with other line ends.
 */
export function patternsOf(secrets: ReadonlyMap<string, string>): Pattern[] {
  const patterns = new Map<string, Pattern>();
  for (const [name, raw] of secrets) {
    const value = raw.toWellFormed().trim();
    for (const text of [value, ...keyLines(value)]) {
      addSpelling(patterns, { text, name, weight: text.length, core: false });
      addSpelling(patterns, { text: text.slice(1, -1), name, weight: text.length, core: true });
    }
  }
  return [...patterns.values()];
}

function addSpelling(patterns: Map<string, Pattern>, pattern: Pattern): void {
  const usable = pattern.text.length >= MIN_SECRET_CHARS && pattern.text.isWellFormed();
  const known = patterns.get(pattern.text);
  // A whole value is found in more places than the core of another one with the same characters.
  if (usable && (known === undefined || (known.core && !pattern.core))) {
    patterns.set(pattern.text, pattern);
  }
}

function keyLines(value: string): string[] {
  const lines = value.split(/[\r\n]+/);
  return lines.length > 2 ? lines.filter((line) => /^[A-Za-z0-9+/=_-]{32,}$/.test(line)) : [];
}
