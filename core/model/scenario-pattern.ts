/**
 * Patterns of a scenario's conditions: `/expression/flags` is a regular expression, every other
 * text is looked for as it stands. Only flags without state are allowed, so that a pattern
 * answers the same each time.
 */

/** The whole match first, then the capture groups. */
export type Captures = readonly (string | undefined)[];

const EXPRESSION = /^\/(.+)\/([a-z]*)$/s;
const STATELESS_FLAGS = /^[imsu]*$/;

/** Says what is wrong with a pattern, or null when it can be used. */
export function patternFault(pattern: string): string | null {
  const parts = EXPRESSION.exec(pattern);
  if (parts === null) return pattern === "" ? "An empty pattern matches everything; leave it out." : null;
  if (!STATELESS_FLAGS.test(parts[2] ?? "")) return "Only the flags i, m, s and u are allowed.";
  try {
    compile(pattern);
    return null;
  } catch {
    return "This is not a valid regular expression.";
  }
}

/** The captures of `pattern` in `text`, or null when it does not match. The pattern has no {@link patternFault}. */
export function matchPattern(pattern: string, text: string): Captures | null {
  const expression = compile(pattern);
  if (expression !== null) return expression.exec(text);
  return text.includes(pattern) ? [pattern] : null;
}

function compile(pattern: string): RegExp | null {
  const parts = EXPRESSION.exec(pattern);
  return parts === null ? null : new RegExp(parts[1] ?? "", parts[2]);
}
