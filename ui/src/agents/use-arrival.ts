/** Moving between the list and one agent is no change of view, so nobody else moves the focus off a link that is gone. */
import { useEffect, useRef } from "preact/hooks";

let isFirst = true;

/** The heading that takes the focus when it was lost; not when the page has just been loaded. */
export function useArrival() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst && document.activeElement === document.body) heading.current?.focus();
    isFirst = false;
  }, []);
  return heading;
}
