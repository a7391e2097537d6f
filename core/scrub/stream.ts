/** Scrubbing in pieces: bounded memory for long texts and for streams. */
import type { Cutter } from "./cuts.ts";
import type { Span } from "./spans.ts";

export interface ScrubStream {
  /** Takes a piece and gives back what is ready to be shown; it may be empty. */
  push(piece: string): string;
  /** Gives back the rest. The stream must not be used afterwards. */
  end(): string;
}

export interface Scrubbing {
  readonly cutter: Cutter;
  /** Scrubs a text of at most a block. */
  mask(text: string): string;
  find(text: string): readonly Span[];
}

/** A block holds several times what one secret can reach over, so that few characters are read twice. */
const BLOCK_PER_REACH = 4;

/** Scrubs a text of any length; the outcome does not depend on how a stream would cut it. */
export function scrubWhole(text: string, scrubbing: Scrubbing): string {
  const block = blockSize(scrubbing);
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > block) {
    const size = fullBlockCut(text.slice(from, from + block), scrubbing);
    parts.push(scrubbing.mask(text.slice(from, from + size)));
    from += size;
  }
  parts.push(scrubbing.mask(text.slice(from)));
  return parts.join("");
}

export function scrubStream(scrubbing: Scrubbing): ScrubStream {
  const block = blockSize(scrubbing);
  let held = "";
  const take = (size: number) => {
    const text = held.slice(0, size);
    held = held.slice(size);
    return scrubbing.mask(text);
  };
  return {
    push: (piece) => {
      held += piece;
      let ready = "";
      while (held.length > block) ready += take(fullBlockCut(held.slice(0, block), scrubbing));
      const cut = scrubbing.cutter.lastCut(held);
      return cut === 0 ? ready : ready + take(cut);
    },
    end: () => take(held.length),
  };
}

function blockSize({ cutter }: Scrubbing): number {
  return cutter.reach * BLOCK_PER_REACH;
}

/**
 * Where a full block is cut: at a place where that changes nothing, or else so far from its end that every
 * secret that begins before the cut also ends in the block, and not inside one.
 */
function fullBlockCut(block: string, scrubbing: Scrubbing): number {
  const safe = scrubbing.cutter.lastCut(block);
  if (safe > 0) return safe;
  let cut = block.length - scrubbing.cutter.reach;
  const across = scrubbing.find(block).find((span) => span.start < cut && cut < span.end);
  if (across !== undefined) cut = across.start > 0 ? across.start : across.end;
  const code = block.charCodeAt(cut);
  const splitsPair = code >= 0xdc00 && code <= 0xdfff;
  return splitsPair && cut > 1 ? cut - 1 : cut;
}
