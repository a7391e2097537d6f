import { useCallback, useEffect, useRef } from "preact/hooks";

/** Does the last thing asked for, `ms` milliseconds after; nothing once the component is gone. */
export function useLater(ms: number): (act: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (act: () => void) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(act, ms);
    },
    [ms],
  );
}
