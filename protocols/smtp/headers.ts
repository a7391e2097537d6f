/** The header of a raw message, line by line, exactly as far as decisions may rest on it. */

export interface Header {
  /** Lower case. */
  readonly key: string;
  /** Unfolded, not decoded. */
  readonly value: string;
}

export type HeaderSection =
  | { readonly ok: true; readonly headers: readonly Header[] }
  | { readonly ok: false; readonly code: "too_large" | "malformed" };

/** Bytes that all headers together may have; usual ones have ten thousand. */
const MAX_SECTION_BYTES = 262_144;
const MAX_HEADERS = 1_000;

/** Blanks before the colon are an old form that some readers still take for the same name. */
const LINE = /^([!-9;-~]{1,200})[ \t]*:(.*)$/s;

/**
 * All headers of the message in order, duplicates included. Malformed is what two readers may take for two different
 * messages: a lone carriage return, a NUL, a line that is no header.
 */
export function readHeaders(raw: Uint8Array): HeaderSection {
  const section = sectionOf(raw);
  if (section === null) return { ok: false, code: "too_large" };
  const text = decoded(section).replace(/\r\n/g, "\n");
  if (/[\r\0]/.test(text)) return { ok: false, code: "malformed" };
  const lines = withoutEnvelopeLine(text)
    .replace(/\n$/, "")
    .split(/\n(?![ \t])/);
  if (lines.length > MAX_HEADERS) return { ok: false, code: "too_large" };
  const headers: Header[] = [];
  for (const line of lines) {
    if (line === "") continue;
    const [, name = "", value = ""] = LINE.exec(line) ?? [];
    if (name === "") return { ok: false, code: "malformed" };
    headers.push({ key: name.toLowerCase(), value: value.replace(/\n/g, "").trim() });
  }
  return { ok: true, headers };
}

/** Up to the empty line; null when that is too far away. */
function sectionOf(raw: Uint8Array): Uint8Array | null {
  const LF = 10;
  for (let at = raw.indexOf(LF); at >= 0; at = raw.indexOf(LF, at + 1)) {
    if (at > MAX_SECTION_BYTES) return null;
    const next = raw[at + 1] === 13 ? raw[at + 2] : raw[at + 1];
    if (next === LF || next === undefined) return raw.subarray(0, at + 1);
  }
  return raw.length > MAX_SECTION_BYTES ? null : raw;
}

/** Headers are ASCII by rule, UTF-8 by a newer one, and one byte a letter where no rule was kept. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Mailboxes in files separate messages by such a line, and some programs leave it there. */
function withoutEnvelopeLine(text: string): string {
  return /^>?From /.test(text) ? text.slice(text.indexOf("\n") + 1) : text;
}

/** All values of that name, in order. */
export function valuesOf(headers: readonly Header[], key: string): string[] {
  return headers.flatMap((header) => (header.key === key ? [header.value] : []));
}

/** The value of a header that a message has once; null without one, or with several. */
export function onlyValue(headers: readonly Header[], key: string): string | null {
  const values = valuesOf(headers, key);
  return values.length === 1 ? (values[0] ?? null) : null;
}
