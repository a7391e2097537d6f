/** A chain as it is now: loaded, and loaded anew as the live stream tells of it. */
import { useEffect, useMemo } from "preact/hooks";
import { api, call } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import type { Chain } from "../api/types.ts";
import { type Load, useLoad } from "../api/use-load.ts";
import { type ChainRun, chainRun } from "./chain-run.ts";
import { hasArrived, newsOf } from "./news.ts";
import { buildTree, type TreeRow } from "./tree.ts";

/** However much happens, it is not loaded more often than that. */
const AGAIN_MS = 1_000;
/** News that has not arrived after so many looks, each twice as far apart, is waited for no more. */
const MAX_LOOKS = 5;

export function useChain(rootRunId: string): Load<Chain> {
  const load = useLoad(
    (signal) =>
      call(
        api.chains[":rootRunId"].$get(
          { param: { rootRunId: encodeURIComponent(rootRunId) } },
          { init: { signal } },
        ),
      ),
    [rootRunId],
  );
  useEffect(() => follow(rootRunId, load), [rootRunId, load.loaded, load.reload]);
  return load;
}

function follow(rootRunId: string, { loaded, reload }: Load<Chain>): () => void {
  const due = new Set<string>();
  let looks = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (ms: number) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      reload();
    }, ms);
  };
  const stopEvents = onLive((event) => {
    const news = newsOf(event, rootRunId);
    if (news === null) return;
    due.add(news);
    looks = 0;
    look(AGAIN_MS);
  });
  const stopLoads = loaded.subscribe(({ data, loading }) => {
    if (loading || data === null) return;
    for (const news of due) if (hasArrived(news, data)) due.delete(news);
    if (looks >= MAX_LOOKS) due.clear();
    if (due.size === 0) return;
    looks += 1;
    look(AGAIN_MS * 2 ** looks);
  });
  return () => {
    clearTimeout(timer);
    stopEvents();
    stopLoads();
  };
}

export interface Shown {
  readonly runs: readonly ChainRun[];
  readonly rows: readonly TreeRow[];
  /** Epoch milliseconds: how far runs under way are drawn. */
  readonly now: number;
}

/** The runs as the views show them; made anew when the chain was loaded. */
export function useShown(chain: Chain): Shown {
  return useMemo(() => {
    const now = Date.now();
    const runs = chain.runs.map(chainRun);
    return { runs, rows: buildTree(runs, now), now };
  }, [chain]);
}
