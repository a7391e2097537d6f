import { cutToUnits } from "../record/stored-text.ts";
import type { Scrubber } from "../scrub/index.ts";
import type { Span } from "./span.ts";

/** A model may call a tool by any text. */
const NAME_CHARS = 200;

/** Names and models come from documents that nobody has masked. */
export function scrubbed(span: Span, { scrub }: Scrubber): Span {
  const attributes = Object.entries(span.attributes).map(([name, value]) => [
    name,
    scrubbedValue(value, scrub),
  ]);
  return {
    ...span,
    name: cutToUnits(scrub(span.name), NAME_CHARS),
    attributes: Object.fromEntries(attributes),
  };
}

function scrubbedValue(
  value: Span["attributes"][string],
  scrub: Scrubber["scrub"],
): Span["attributes"][string] {
  if (typeof value === "string") return scrub(value);
  return typeof value === "object" ? value.map(scrub) : value;
}
