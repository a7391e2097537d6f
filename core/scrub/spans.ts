/** Stretches of a text that must not be shown, and their replacement by masks. */
import { maskFor } from "./mask.ts";

/** UTF-16 offsets, `end` exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Span extends Range {
  /** Name of the known secret; null for a credential-shaped string. */
  readonly name: string | null;
  /** Length of the secret's value: where spans overlap, the longest secret gives the name. */
  readonly weight: number;
}

/** Adds a span, joined with the last one where they overlap, so that a repetitive text makes few of them. */
export function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last !== undefined && span.start >= last.start && span.start < last.end) {
    spans[spans.length - 1] = join(last, span);
  } else {
    spans.push(span);
  }
}

/** The spans in order, with overlapping ones joined. */
export function cluster(spans: readonly Span[]): Span[] {
  const clusters: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) addSpan(clusters, span);
  return clusters;
}

/** The text with each cluster replaced by its mask. */
export function applyMasks(text: string, clusters: readonly Span[]): string {
  if (clusters.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, name } of clusters) {
    parts.push(text.slice(done, start), maskFor(name));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

function join(a: Span, b: Span): Span {
  const named = b.name !== null && (a.name === null || b.weight > a.weight) ? b : a;
  return {
    start: Math.min(a.start, b.start),
    end: Math.max(a.end, b.end),
    name: named.name,
    weight: named.weight,
  };
}
