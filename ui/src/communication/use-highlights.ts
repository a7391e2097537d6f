/** Marks what was searched for, as ranges over the text: nothing in the page is changed for it. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { findSpans, type Span } from "./find-terms.ts";

export function useHighlights(
  scroller: RefObject<HTMLElement | null>,
  terms: readonly string[],
  chosen: string | null,
): void {
  const key = terms.join(" ");
  useEffect(() => {
    const root = scroller.current;
    if (root === null || terms.length === 0 || !("highlights" in CSS)) return;
    let frame = 0;
    const mark = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => markIn(root, terms));
    };
    mark();
    const changes = new MutationObserver(mark);
    changes.observe(root, { childList: true, subtree: true, characterData: true });
    return () => {
      changes.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete("found");
    };
  }, [scroller, key, chosen]);
}

function markIn(root: HTMLElement, terms: readonly string[]): void {
  const ranges = [...root.querySelectorAll(".text")].flatMap((text) => rangesIn(text, terms));
  CSS.highlights.set("found", new Highlight(...ranges));
}

/** A word may go over several text nodes, as where a part of it is bold. */
function rangesIn(element: Element, terms: readonly string[]): Range[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode() !== null) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  const whole = nodes.map(({ data }) => data).join("");
  return findSpans(whole, terms).map((span) => rangeOf(nodes, span));
}

function rangeOf(nodes: readonly Text[], { start, end }: Span): Range {
  const range = new Range();
  let passed = 0;
  for (const node of nodes) {
    const next = passed + node.length;
    if (start >= passed && start < next) range.setStart(node, start - passed);
    if (end > passed && end <= next) range.setEnd(node, end - passed);
    passed = next;
  }
  return range;
}
