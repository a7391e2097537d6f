/** Loads on when an end of what is loaded comes near. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Transcript } from "./transcript.ts";
import type { Window } from "./window.ts";

/** One screen ahead. */
const AHEAD = "100% 0px";

export function useEdges(
  scroller: RefObject<HTMLElement | null>,
  transcript: Transcript,
  window: Window | null,
): void {
  // Observing anew after each change tells at once whether the end is still near.
  useEffect(() => {
    const root = scroller.current;
    if (root === null || window === null) return;
    const near = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          const side = target instanceof HTMLElement && target.dataset.edge === "older" ? "older" : "newer";
          if (isIntersecting) transcript.load(side, "auto");
        }
      },
      { root, rootMargin: AHEAD },
    );
    for (const edge of root.querySelectorAll("[data-edge]")) near.observe(edge);
    return () => near.disconnect();
  }, [scroller, transcript, window]);
}
