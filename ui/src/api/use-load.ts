/** Loading for views: what was there stays until the new is. */
import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { comebacks } from "../session/session.ts";
import type { Answer, Problem } from "./client.ts";

export interface Loaded<T> {
  /** Null until there was an answer for these `inputs`. */
  readonly data: T | null;
  /** Of the last attempt; `data` may be older then. */
  readonly problem: Problem | null;
  readonly loading: boolean;
}

export interface Load<T> {
  readonly loaded: Signal<Loaded<T>>;
  /** Reads anew, one at a time: what is asked for meanwhile is read once, afterwards. */
  reload(): void;
}

/**
 * Loads when the view appears, when an input changes, and when the instance was away and came back.
 * @param load gets a signal that aborts when its answer is no longer wanted
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<Answer<T>>,
  inputs: readonly (string | number | boolean | null)[],
): Load<T> {
  const loaded = useSignal<Loaded<T>>({ data: null, problem: null, loading: true });
  const newest = useRef(load);
  newest.current = load;
  const again = useRef<() => void>(() => undefined);
  const key = JSON.stringify(inputs);
  const comeback = comebacks.value;
  const shownKey = useRef(key);
  useEffect(() => {
    if (shownKey.current !== key) loaded.value = { data: null, problem: null, loading: true };
    shownKey.current = key;
    const loader = oneAtATime(() => newest.current, loaded);
    again.current = loader.now;
    loader.now();
    return loader.stop;
  }, [key, comeback, loaded]);
  const reload = useCallback(() => again.current(), []);
  return { loaded, reload };
}

function oneAtATime<T>(load: () => (signal: AbortSignal) => Promise<Answer<T>>, loaded: Signal<Loaded<T>>) {
  const stopped = new AbortController();
  let busy = false;
  let wanted = false;
  const now = async (): Promise<void> => {
    wanted = busy;
    if (busy) return;
    busy = true;
    loaded.value = { ...loaded.peek(), loading: true };
    const answer = await load()(stopped.signal);
    busy = false;
    if (stopped.signal.aborted) return;
    loaded.value = answer.ok
      ? { data: answer.data, problem: null, loading: false }
      : { ...loaded.peek(), problem: answer.problem, loading: false };
    if (wanted) await now();
  };
  return { now: () => void now(), stop: () => stopped.abort() };
}
