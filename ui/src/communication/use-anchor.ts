/**
 * Keeps what is being read in its place while rows come and go. The browser's own scroll anchoring does most
 * of it; where it cannot (at the very top, or when the anchor itself goes), the second visible row is put back
 * to where it was. Virtual lists were measured too: they lose the place when rows come and go in one commit.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Target } from "./transcript.ts";

/** So near to the end one is watching it. */
const END_PX = 80;
/** Of rounding. */
const MOVED_PX = 1;

interface Anchored {
  readonly target: Target;
  /** Whether the newest row is in the window. */
  readonly atNewest: boolean;
  onWatch(watched: boolean): void;
  onArrive(row: HTMLElement): void;
}

/** To be called while rendering, before the rows change. Returns how to tell that the reader scrolled. */
export function useAnchor(
  scroller: RefObject<HTMLElement | null>,
  { target, atNewest, ...on }: Anchored,
): () => void {
  const following = useRef(true);
  const atEnd = useRef(true);
  const served = useRef(0);
  const newest = useRef(atNewest);
  newest.current = atNewest;
  const before = scroller.current === null ? null : secondVisible(scroller.current);
  const focused = useRef<Element | null>(null);
  focused.current = scroller.current?.contains(document.activeElement) ? document.activeElement : null;

  const look = () => {
    const element = scroller.current;
    if (element === null) return;
    const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
    following.current = rest <= END_PX && newest.current;
    atEnd.current = rest <= MOVED_PX;
    on.onWatch(following.current);
  };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (target.serial !== served.current) {
      served.current = target.serial;
      const row = target.uid === null ? null : rowOf(element, target.uid);
      if (row === null) element.scrollTop = element.scrollHeight;
      else putInMiddle(element, row);
      look();
      if (row !== null) on.onArrive(row);
    } else if (following.current && newest.current) element.scrollTop = element.scrollHeight;
    else if (before !== null) restore(element, before);
    // A focused row that was trimmed hands the focus to what is being read.
    if (focused.current !== null && !focused.current.isConnected)
      secondVisible(element)?.row.focus({ preventScroll: true });
  });

  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (element === null || content == null) return;
    const sizes = new ResizeObserver(() => {
      // A row that grows must not move the one who reads near the end, only keep the very end in sight.
      if (atEnd.current && newest.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(content);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [scroller]);

  return look;
}

interface Held {
  readonly row: HTMLElement;
  /** Pixels below the scroller's top. */
  readonly top: number;
}

/** The second row in sight: the first may be the one that a page's edge cuts off. */
function secondVisible(scroller: HTMLElement): Held | null {
  const edge = scroller.getBoundingClientRect().top;
  const rows = scroller.querySelectorAll<HTMLElement>("article");
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.getBoundingClientRect().bottom ?? 0) > edge) high = middle;
    else low = middle + 1;
  }
  const row = rows[low + 1] ?? rows[low];
  return row === undefined ? null : { row, top: row.getBoundingClientRect().top - edge };
}

function restore(scroller: HTMLElement, { row, top }: Held): void {
  if (!row.isConnected) return;
  const moved = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - top;
  if (Math.abs(moved) > MOVED_PX) scroller.scrollTop += moved;
}

function rowOf(scroller: HTMLElement, uid: string): HTMLElement | null {
  return scroller.querySelector<HTMLElement>(`article[data-uid="${CSS.escape(uid)}"]`);
}

/** Not `scrollIntoView`: that would move the page around the transcript too. */
function putInMiddle(scroller: HTMLElement, row: HTMLElement): void {
  const offset = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  const room = Math.max(0, scroller.clientHeight - row.offsetHeight) / 2;
  scroller.scrollTop += offset - room;
}
