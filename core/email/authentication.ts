/**
 * Whether the server that received a mail found its sender to be who the From line says (RFC 8601). Only the
 * topmost results of that server count: it puts its own above everything that came with the mail. Results that
 * cannot be read may be that server's, with words of the sender in them: nothing below them counts either.
 */

interface MethodResult {
  readonly method: string;
  readonly result: string;
  /** Such as `header.d`, in lower case. */
  readonly properties: ReadonlyMap<string, string>;
}

export type Authentication =
  | { readonly ok: true; readonly by: "dmarc" | "dkim" | "spf" }
  | { readonly ok: false; readonly code: "no_results" | "not_authenticated" };

/** Those of ten signatures are half as long. */
const MAX_VALUE_CHARS = 4_000;

/**
 * @param values the Authentication-Results headers of the mail, topmost first
 * @param domain the domain of the one author
 */
export function authenticate(
  values: readonly string[],
  { authservId, domain }: { readonly authservId: string; readonly domain: string },
): Authentication {
  const own = resultsOf(values, authservId.toLowerCase());
  if (own === null) return { ok: false, code: "no_results" };
  const results = own.slice(1).flatMap(resultOf);
  const dmarc = results.filter(({ method }) => method === "dmarc");
  // One word against it outweighs all the others.
  if (dmarc.some(({ result }) => result === "fail")) return { ok: false, code: "not_authenticated" };
  if (dmarc.some((each) => passes(each, "header.from", domain))) return { ok: true, by: "dmarc" };
  const dkim = results.filter(({ method }) => method === "dkim");
  if (dkim.some((each) => passes(each, "header.d", domain))) return { ok: true, by: "dkim" };
  const spf = results.filter(({ method }) => method === "spf");
  if (spf.some((each) => passes(each, "smtp.mailfrom", domain))) return { ok: true, by: "spf" };
  return { ok: false, code: "not_authenticated" };
}

/** None is looked at after the one that decides. Null when that cannot be read, or there is none. */
function resultsOf(values: readonly string[], server: string): readonly (readonly string[])[] | null {
  for (const value of values) {
    const segments = segmentsOf(value);
    if (segments === null || segments[0]?.[0]?.toLowerCase() === server) return segments;
  }
  return null;
}

/** Of exactly the domain: a signature by a neighbour, or by a domain above, says nothing of the author. */
function passes({ result, properties }: MethodResult, property: string, domain: string): boolean {
  const named = properties.get(property);
  return result === "pass" && named?.slice(named.lastIndexOf("@") + 1) === domain;
}

/** `method=result property=value ...`; a method may have a version. */
function resultOf(words: readonly string[]): MethodResult[] {
  const [first = "", ...rest] = words;
  const [, method, result] = /^([a-z0-9-]+)(?:\/\d+)?=([a-z]+)$/i.exec(first) ?? [];
  if (method === undefined || result === undefined) return [];
  const properties = new Map<string, string>();
  for (const word of rest) {
    const equals = word.indexOf("=");
    const key = word.slice(0, Math.max(0, equals)).toLowerCase();
    // Said twice, it says nothing.
    if (equals > 0) properties.set(key, properties.has(key) ? "" : word.slice(equals + 1).toLowerCase());
  }
  return [{ method: method.toLowerCase(), result: result.toLowerCase(), properties }];
}

/**
 * The words between semicolons, without comments, which hold whatever the sender has chosen. Null when a comment
 * or a quote does not end: then nobody knows what is inside and what outside.
 */
function segmentsOf(value: string): string[][] | null {
  if (value.length > MAX_VALUE_CHARS) return null;
  const plain = withoutComments(value);
  return plain === null ? null : splitOutside(plain).map((segment) => wordsOf(segment));
}

function withoutComments(value: string): string | null {
  let plain = "";
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const letter = value.charAt(at);
    if (letter === "\\" && (quoted || depth > 0)) {
      if (depth === 0) plain += value.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (depth === 0 && letter === '"') quoted = !quoted;
    if (!quoted && letter === "(") depth += 1;
    else if (!quoted && letter === ")" && depth > 0) depth -= 1;
    else if (depth === 0) plain += letter;
    if (!quoted && depth > 0 && letter === "(" && depth === 1) plain += " ";
  }
  return quoted || depth > 0 ? null : plain;
}

/** Whatever is quoted may hold any letter, also those that end lines. */
const PIECE = /"(?:[^"\\]|\\.)*"|[^";]/gs;

function splitOutside(plain: string): string[] {
  const segments = [""];
  let end = 0;
  for (const match of plain.matchAll(PIECE)) {
    for (let at = end; at < match.index; at += 1) segments.push("");
    segments[segments.length - 1] += match[0];
    end = match.index + match[0].length;
  }
  return segments;
}

const WORD_PIECE = /"(?:[^"\\]|\\.)*"|[^\s"=]+|=|\s+/gs;

/** Words of `key=value`, where blanks around the first sign and quotes around the value mean nothing. */
function wordsOf(segment: string): string[] {
  const words: string[] = [];
  let apart = true;
  let keyed = false;
  let wantsValue = false;
  for (const [piece] of segment.matchAll(WORD_PIECE)) {
    if (piece.trim() === "") {
      apart = !wantsValue;
      continue;
    }
    const separates: boolean = piece === "=" && !keyed;
    if (words.length === 0 || (apart && !separates)) words.push("");
    words[words.length - 1] += unquoted(piece);
    keyed = separates || (keyed && !apart);
    wantsValue = separates;
    apart = false;
  }
  return words;
}

function unquoted(piece: string): string {
  return piece.startsWith('"') ? piece.slice(1, -1).replace(/\\(.)/gs, "$1") : piece;
}
