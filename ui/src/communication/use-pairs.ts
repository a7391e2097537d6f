/** The pairs, read once and then kept up by what happens live. */
import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, call, type Problem } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import { useLoad } from "../api/use-load.ts";
import { countMessage, type Pair } from "./pairs.ts";
import { type Row, readLiveRow } from "./row.ts";
import { beginSeeing } from "./seen.ts";
import { useLater } from "./use-later.ts";

/** By then a message that was told live is on record. */
const RECORDED_MS = 2_000;

export interface KnownPairs {
  readonly state: ReadonlySignal<{
    readonly pairs: readonly Pair[] | null;
    readonly problem: Problem | null;
  }>;
  reload(): void;
}

export function usePairs(): KnownPairs {
  const { loaded, reload } = useLoad(
    (signal) => call(api.pairs.$get({ query: {} }, { init: { signal } })),
    [],
  );
  const later = useLater(RECORDED_MS);
  const since = useSignal<readonly Row[]>([]);
  const { data } = loaded.value;
  useEffect(() => {
    since.value = [];
    if (data !== null) beginSeeing(data[0]?.lastAt ?? new Date(0).toISOString());
  }, [data, since]);
  useEffect(
    () =>
      onLive(({ type, data: told }) => {
        const row = type === "message" ? readLiveRow(told) : null;
        if (row === null) return;
        // While it is being read nobody knows whether the list has this message already, and the record may
        // get it only a moment later.
        if (loaded.peek().loading) later(reload);
        else since.value = [...since.peek(), row];
      }),
    [loaded, reload, since, later],
  );
  const state = useComputed(() => {
    const { data: pairs, problem } = loaded.value;
    const known: readonly Pair[] | null = pairs;
    return { pairs: known === null ? null : since.value.reduce(countMessage, known), problem };
  });
  return { state, reload };
}
