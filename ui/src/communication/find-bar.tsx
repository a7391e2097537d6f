/** The search within the conversation: a word, how many hits, and the way from one to the next. */
import { useEffect, useRef } from "preact/hooks";
import { formatCount } from "../language/format.ts";
import { changeQuery } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { type Find, type Hits, numberOf } from "./find.ts";
import { keyOf } from "./row.ts";
import { texts } from "./texts.ts";
import { useLater } from "./use-later.ts";
import type { Side } from "./window.ts";

const TYPING_MS = 300;

interface FindBarProps {
  readonly find: Find | null;
  /** As it stands in the address. */
  readonly word: string;
  readonly chosen: string | null;
  readonly onClose: () => void;
}

export function FindBar({ find, word, chosen, onClose }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const later = useLater(TYPING_MS);
  useEffect(() => field.current?.focus(), []);
  const step = async (side: Side) => {
    const next = (await find?.next(chosen, side)) ?? null;
    if (next === null) announce(texts.lastHit);
    else changeQuery({ m: keyOf(next) }, "replace");
  };
  return (
    <search
      class="find"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        name="find"
        aria-label={texts.findWord}
        placeholder={texts.findWord}
        value={word}
        onInput={(event) => {
          const { value } = event.currentTarget;
          later(() => changeQuery({ find: value, m: "" }, "replace"));
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          void step(event.shiftKey ? "newer" : "older");
        }}
      />
      <span class="find-count" role="status">
        {find === null ? "" : countText(find.hits.value, chosen)}
      </span>
      <StepButton icon="up" label={texts.olderHit} onStep={() => void step("older")} />
      <StepButton icon="down" label={texts.newerHit} onStep={() => void step("newer")} />
      <button
        type="button"
        class="bare"
        aria-label={texts.closeFind}
        title={texts.closeFind}
        onClick={onClose}
      >
        <Icon name="cross" />
      </button>
    </search>
  );
}

interface StepButtonProps {
  readonly icon: "up" | "down";
  readonly label: string;
  readonly onStep: () => void;
}

function StepButton({ icon, label, onStep }: StepButtonProps) {
  return (
    <button type="button" class="bare" aria-label={label} title={label} onClick={onStep}>
      <Icon name={icon} />
    </button>
  );
}

/** `3 / 41`, `3 / 500+`. */
function countText(hits: Hits, chosen: string | null): string {
  const { rows, more, loading, failed } = hits;
  if (rows.length === 0) return loading ? "..." : failed ? "?" : texts.noHits;
  const number = numberOf(hits, chosen);
  const all = formatCount(rows.length) + (more ? "+" : "");
  return texts.hitOf(number === 0 ? "-" : formatCount(number), all);
}
