/** Spans of the runtime's own tracing, open while something is under way. */
import { cutToUnits } from "../record/stored-text.ts";
import type { Attributes } from "./span.ts";

export interface OpenSpan {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Runs the work inside a span; `add` takes what is known later. Where the runtime traces nothing it only runs the work. */
export type SpanScope = <T>(
  span: OpenSpan,
  work: (add: (attributes: Attributes) => void) => Promise<T>,
) => Promise<T>;

/** Names are short; a model may call a tool by any text. */
const NAME_CHARS = 200;

/** The same, with every text masked and then cut. */
export function maskedScope(scope: SpanScope, scrub: (text: string) => string): SpanScope {
  const shown = (text: string) => cutToUnits(scrub(text), NAME_CHARS);
  const masked = (attributes: Attributes): Attributes =>
    Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        typeof value === "string" ? shown(value) : value,
      ]),
    );
  return ({ name, attributes }, work) =>
    scope({ name: shown(name), attributes: masked(attributes) }, (add) => work((more) => add(masked(more))));
}

/** The same while somebody records; else nothing is masked and no span opened. */
export function whileTraced(scope: SpanScope, isTraced: () => boolean): SpanScope {
  return (span, work) => (isTraced() ? scope(span, work) : work(() => undefined));
}
