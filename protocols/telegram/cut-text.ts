/** Cuts a formatted text into messages that Telegram takes, at places where a reader would pause. */
import type { Entity, FormattedText } from "./markdown.ts";

/** UTF-16 units of a message after its entities were parsed. */
export const MESSAGE_UNITS = 4_096;

/** In order of preference; each match ends where the next message begins. */
const PLACES: readonly RegExp[] = [
  /\n[^\S\n]*\n\s*/g,
  /\n/g,
  /[.!?\u2026\u3002]["'\u201d\u2019)\]]*\s+/g,
  /\s+/g,
];

/** What may be cut through while it looks whole in both halves. */
const DIVISIBLE: readonly Entity["type"][] = ["pre", "blockquote"];

/** No part is empty or blank, none is longer than `limit`, no character that people see as one is cut. */
export function cutText(formatted: FormattedText, limit = MESSAGE_UNITS): FormattedText[] {
  const { text } = formatted;
  const parts: FormattedText[] = [];
  for (let from = 0; from < text.length; ) {
    const to = text.length - from <= limit ? text.length : from + cutLength(formatted, from, limit);
    const part = trimmed(slice(formatted, from, to));
    if (part.text !== "") parts.push(part);
    from = to;
  }
  return parts;
}

/** A good place in the second half of what fits, else whatever fits. */
function cutLength(formatted: FormattedText, from: number, limit: number): number {
  const window = formatted.text.slice(from, from + limit);
  const inside = (kinds: readonly Entity[]) => (length: number) =>
    kinds.some(({ offset, length: own }) => {
      const at = from + length;
      return own <= limit && at > offset && at < offset + own;
    });
  const whole = inside(formatted.entities);
  const indivisible = inside(formatted.entities.filter(({ type }) => !DIVISIBLE.includes(type)));
  for (const spoils of [whole, indivisible, () => false]) {
    for (const place of PLACES) {
      const found = lastPlace(window, place, spoils);
      if (found > limit / 2) return found;
    }
  }
  return (
    lastPlace(window, /\s+/g, () => false) ||
    graphemeLength(formatted.text.slice(from, from + limit + 64), limit)
  );
}

/** Where the last good match in the window ends; 0 when there is none. */
function lastPlace(window: string, place: RegExp, spoils: (length: number) => boolean): number {
  let last = 0;
  for (const match of window.matchAll(place)) {
    const end = match.index + match[0].length;
    if (match.index > 0 && !spoils(end)) last = end;
  }
  return last;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The longest run of whole characters within the limit; `text` goes a little beyond it. */
function graphemeLength(text: string, limit: number): number {
  let length = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > limit) break;
    length = index + segment.length;
  }
  if (length > 0) return length;
  // One character that is longer than a message: at least no code point is torn.
  return isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** An entity that lies across the border goes on in both parts. */
function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  return {
    text: text.slice(from, to),
    entities: entities.flatMap((entity) => {
      const start = Math.max(entity.offset, from);
      const end = Math.min(entity.offset + entity.length, to);
      return end > start ? [{ ...entity, offset: start - from, length: end - start }] : [];
    }),
  };
}

/** Telegram trims messages, and would move what lies behind. Spaces in front may indent code: only empty lines go. */
function trimmed(part: FormattedText): FormattedText {
  const start = /^(?:[^\S\n]*\n)*/.exec(part.text)?.[0].length ?? 0;
  return slice(part, start, Math.max(start, part.text.trimEnd().length));
}
