/** What both lists have in common: fields that live in the address, chips, and the way to older ones. */
import { useEffect, useRef } from "preact/hooks";
import { team } from "../api/team.ts";
import { words } from "../language/words.ts";
import { changeQuery } from "../location/place.ts";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { texts } from "./texts.ts";
import type { PagesLoad } from "./use-pages.ts";

interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A value that is none of the options is kept as one: it came with a link. */
export function Select({ label, name, value, options }: SelectProps) {
  const known = options.some(([each]) => each === value);
  return (
    <label>
      {label}
      <select
        name={name}
        value={value}
        onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}
      >
        {(known ? options : [...options, [value, value] as const]).map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly type: "search" | "date";
}

/** Long enough that typing a word asks once. */
const TYPING_MS = 300;

export function Field({ label, name, value, type }: FieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // The address may change from elsewhere; what is being typed stays.
    if (input.current !== null && document.activeElement !== input.current) input.current.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onInput = (event: { readonly currentTarget: HTMLInputElement }) => {
    const { value: typed } = event.currentTarget;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => changeQuery({ [name]: typed }, "replace"), TYPING_MS);
  };
  const common = { ref: input, name, onInput };
  if (type === "date")
    return (
      <label>
        {label}
        <input type="date" {...common} />
      </label>
    );
  return (
    <label>
      {label}
      <input type="search" {...common} />
    </label>
  );
}

export function AgentSelect({ value }: { value: string }) {
  const agents = team.value.map(({ agentId, name }) => [agentId, name ?? agentId] as const);
  return (
    <Select label={words.agent} name="agent" value={value} options={[["", texts.everybody], ...agents]} />
  );
}

export function Chip({ name, label, value }: { name: string; label: string; value: string }) {
  if (value === "") return null;
  return (
    <button
      type="button"
      class="log-chip"
      aria-label={texts.remove(`${label} ${value}`)}
      onClick={() => {
        changeQuery({ [name]: null });
        document.querySelector<HTMLElement>("main h1")?.focus();
      }}
    >
      {label} <code>{value}</code>
      <Icon name="cross" />
    </button>
  );
}

/** Older ones come when their button comes into view, and by the button. */
export function Older<T>({ load, label }: { load: PagesLoad<T>; label: string }) {
  const { items, older, problem, loading } = load.pages.value;
  const button = useRef<HTMLButtonElement>(null);
  const { more } = load;
  useEffect(() => {
    const { current } = button;
    if (current === null || problem !== null || loading) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) more();
      },
      { rootMargin: "600px" },
    );
    // Each cursor is asked for by itself once: a page without hits waits for a person.
    if ((items?.length ?? 0) > 0) watcher.observe(current);
    return () => watcher.disconnect();
  }, [older, loading, problem, items?.length]);
  if (problem !== null) return <ProblemNote problem={problem} retry={items === null ? load.reload : more} />;
  if (items === null || older === null)
    return items !== null && items.length > 0 ? <p class="log-end">{texts.end}</p> : null;
  return (
    <p class="log-older">
      {items.length === 0 && <span>{texts.looked} </span>}
      <button type="button" ref={button} aria-disabled={loading} onClick={more}>
        {loading ? words.loading : label}
      </button>
    </p>
  );
}
