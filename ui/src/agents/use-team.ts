/** The team with its live state: read again soon after a run anywhere has begun or ended. */
import { useEffect } from "preact/hooks";
import { onLive } from "../api/live.ts";
import { loadTeam } from "../api/team.ts";
import { useLoad } from "../api/use-load.ts";

/** Each reading asks every agent's object, so many events share one. */
const SETTLE_MS = 700;

export function useTeam() {
  const { loaded, reload } = useLoad(loadTeam, []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = onLive(({ type }) => {
      if (type !== "run" || timer !== null) return;
      timer = setTimeout(() => {
        timer = null;
        reload();
      }, SETTLE_MS);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [reload]);
  return { loaded, reload };
}
