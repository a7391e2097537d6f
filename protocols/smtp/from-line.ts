/**
 * Who a message says it is from, read so strictly that no other reader sees somebody else in it: one header, one
 * mailbox, no comment, no group, no second address in the name.
 */
import { decodeWords } from "postal-mime";
import { normaliseAddress } from "./address.ts";
import { headerProblem } from "./header-text.ts";
import { type Header, onlyValue } from "./headers.ts";

export interface Author {
  /** Decoded; empty when there is none. */
  readonly name: string;
  /** As {@link normaliseAddress} writes it. */
  readonly address: string;
}

const MAX_LINE_CHARS = 1_000;
/** Quoted pieces and plain letters, then the address. */
const NAMED = /^((?:"(?:[^"\\]|\\.)*"|[^\r\n"()<>,;:\\])*)<([^<>\s]+)>$/;

/** Null unless it is one plain author. */
export function authorOf(headers: readonly Header[]): Author | null {
  const line = onlyValue(headers, "from");
  return line === null ? null : mailboxOf(line);
}

/** One mailbox as text: `local@domain` or `Name <local@domain>`; null for everything else. */
export function mailboxOf(line: string): Author | null {
  if (line.length > MAX_LINE_CHARS) return null;
  const named = NAMED.exec(line);
  const address = normaliseAddress(named?.[2] ?? line);
  if (address === null) return null;
  const name = nameOf(named?.[1] ?? "");
  return name === null || namesAnother(name, address) ? null : { name, address };
}

/** Null when what it spells could deceive a reader. */
function nameOf(phrase: string): string | null {
  const plain = phrase
    .trim()
    .replace(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) => quoted.replace(/\\(.)/g, "$1"));
  const name = decodeWords(plain).trim();
  return headerProblem(name) === null ? name : null;
}

/** Programs show the name and hide the address: one in the name must be the same. */
function namesAnother(name: string, address: string): boolean {
  if (!/[@\uff20\ufe6b]/u.test(name)) return false;
  const shown = name.replace(/^['"]|['"]$/g, "");
  return normaliseAddress(shown)?.toLowerCase() !== address.toLowerCase();
}
