/** A card that has the focus and moves to another column is another element there: the focus goes with the task. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** For the element that holds all links to tasks; to be called by what renders it. */
export function useKeptFocus() {
  const area = useRef<HTMLDivElement>(null);
  const focused = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const follow = ({ target }: Event) => {
      focused.current = target instanceof HTMLElement ? target : null;
    };
    // Some browsers tell of an element that is being taken out while it still is in the page: look afterwards.
    const forget = ({ target }: Event) =>
      queueMicrotask(() => {
        if (focused.current === target && focused.current?.isConnected === true) focused.current = null;
      });
    area.current?.addEventListener("focusin", follow, { signal });
    area.current?.addEventListener("focusout", forget, { signal });
    return () => leaving.abort();
  }, []);
  useLayoutEffect(() => {
    const lost = focused.current;
    if (lost === null || lost.isConnected || document.activeElement !== document.body) return;
    focused.current = null;
    const link = lost.closest(".task-card, .waiting, tr")?.querySelector<HTMLElement>(".task-link") ?? lost;
    area.current
      ?.querySelector<HTMLElement>(`.task-link[data-task="${CSS.escape(link.dataset.task ?? "")}"]`)
      ?.focus();
  });
  return area;
}
