import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width that an element has, in pixels; 0 until it is measured. */
export function useWidth<T extends HTMLElement>(): readonly [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const watcher = new ResizeObserver(() => setWidth(current.clientWidth));
    setWidth(current.clientWidth);
    watcher.observe(current);
    return () => watcher.disconnect();
  }, []);
  return [element, width];
}
