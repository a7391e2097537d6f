/** A list that comes in pages, newest first, and grows towards the older ones. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Answer, Problem } from "../api/client.ts";
import { formatCount } from "../language/format.ts";
import { announce } from "../parts/announce.tsx";
import { comebacks } from "../session/session.ts";
import { texts } from "./texts.ts";

export interface Pages<T> {
  /** Null until the first page is there. */
  readonly items: readonly T[] | null;
  /** The cursor for the next page; null at the end. */
  readonly older: string | null;
  readonly problem: Problem | null;
  readonly loading: boolean;
}

export interface PagesLoad<T> {
  readonly pages: Signal<Pages<T>>;
  /** Reads the next page, one at a time; nothing at the end. */
  more(): void;
  reload(): void;
}

const NOTHING = { items: null, older: null, problem: null, loading: true };

/**
 * @param load reads the page before a cursor, or the newest
 * @param inputs what the list depends on: it begins anew when one changes
 */
export function usePages<T>(
  load: (before: string | null, signal: AbortSignal) => Promise<Answer<readonly T[]>>,
  inputs: readonly string[],
): PagesLoad<T> {
  const pages = useSignal<Pages<T>>(NOTHING);
  const newest = useRef(load);
  newest.current = load;
  const stopped = useRef(new AbortController());
  const busy = useRef(false);
  const read = async (before: string | null) => {
    const { signal } = stopped.current;
    if (before !== null && busy.current) return;
    busy.current = true;
    pages.value = { ...pages.peek(), loading: true, problem: null };
    const answer = await newest.current(before, signal);
    if (signal.aborted) return;
    busy.current = false;
    const kept = before === null ? [] : (pages.peek().items ?? []);
    pages.value = answer.ok
      ? {
          items: [...kept, ...answer.data],
          older: answer.response.headers.get("x-older"),
          problem: null,
          loading: false,
        }
      : { ...pages.peek(), problem: answer.problem, loading: false };
    if (answer.ok && before !== null) announce(texts.loaded(formatCount(answer.data.length)));
  };
  const key = JSON.stringify(inputs);
  const comeback = comebacks.value;
  const shown = useRef(key);
  const begin = () => {
    stopped.current.abort();
    stopped.current = new AbortController();
    void read(null);
  };
  useEffect(() => {
    if (shown.current !== key) pages.value = NOTHING;
    shown.current = key;
    begin();
    return () => stopped.current.abort();
  }, [key, comeback]);
  const more = () => {
    const { older } = pages.peek();
    if (older !== null) void read(older);
  };
  return { pages, more, reload: begin };
}
