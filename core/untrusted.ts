/** Foreign text as a model may read it: quoted as JSON, in a frame that it cannot end. No I/O. */
import { cutToUnits } from "./record/stored-text.ts";

/** JSON in which nothing can end the frame around it; `space` indents it. What JSON cannot say is `null`. */
export function untrustedJson(value: unknown, space = 0): string {
  const json = JSON.stringify(value, null, space) ?? "null";
  return json.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}

/** The value as JSON in a frame of its own, cut after so many characters. */
export function untrustedFrame(value: unknown, chars: number, space = 0): string {
  const json = untrustedJson(value, space);
  const shown = json.length <= chars ? json : `${cutToUnits(json, chars)} [cut]`;
  return `<untrusted_content>${shown}</untrusted_content>`;
}

/** Lines that cannot end it, such as `untrustedJson` makes, in one frame. `source` says where they are from. */
export function untrustedLines(lines: readonly string[], source?: string): string {
  const start = source === undefined ? "<untrusted_content>" : `<untrusted_content source="${source}">`;
  return [start, ...lines, "</untrusted_content>"].join("\n");
}

/** What looks like angle brackets to a reader who is no parser, and what ends lines or turns their direction unseen. */
const MISLEADING =
  /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008\u3009\ufe64\ufe65\uff1c\uff1e]/g;
/** The frame's name, however it is joined. */
const NAME = /untrusted[\W_]{0,5}content/gi;

/**
 * For texts of many strangers at once: the frame's end bears a `nonce` that none of them can know, and neither
 * its name nor what looks like its brackets comes through.
 */
export function untrustedBlock(
  value: unknown,
  { source, nonce }: { readonly source: string; readonly nonce: string },
): string {
  const json = untrustedJson(value)
    .replace(NAME, "untrusted content")
    .replace(MISLEADING, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
  return `<untrusted_content source="${source}" id="${nonce}">\n${json}\n</untrusted_content id="${nonce}">`;
}
