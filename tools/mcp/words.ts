/** Texts of servers, as a model may see them: without secrets, cut after that, quoted in a frame that they cannot end. */
import { untrustedBlock } from "../../core/tool.ts";

/** Gives back a text without its secrets. */
export type Mask = (text: string) => string;

/** Masked and of at most `chars` characters, with a note of what was cut. */
export function cut(text: string, chars: number, mask: Mask): string {
  return shortened(mask(text), chars);
}

interface Frame {
  /** What nobody outside can guess. */
  readonly nonce: string;
  /** What may be taken up in all, the frame included. */
  readonly chars: number;
}

/** A masked text in a frame. It is cut so that the frame, with all that quoting adds, ends within its characters. */
export function framed(text: string, { nonce, chars }: Frame): string {
  const upTo = (length: number) => untrustedBlock(shortened(text, length), { source: "mcp", nonce });
  if (text.length <= chars && upTo(text.length).length <= chars) return upTo(text.length);
  let fits = 0;
  let tooLong = Math.min(text.length, chars);
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (upTo(middle).length <= chars) fits = middle;
    else tooLong = middle;
  }
  return upTo(fits);
}

function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, chars).toWellFormed()} [${text.length - chars} more characters]`;
}

/** Brackets, what looks like them, and what breaks lines or turns their direction unseen. */
const NOT_PLAIN =
  /[<>\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008\u3009\ufe64\ufe65\uff1c\uff1e\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Whether a text may stand among a function's parameters, which have no frame. */
export function isPlain(text: string): boolean {
  return text.search(NOT_PLAIN) === -1;
}

/** In one line, without what is not plain. */
export function plain(text: string): string {
  return text.replace(NOT_PLAIN, " ").replace(/\s+/g, " ").trim();
}
