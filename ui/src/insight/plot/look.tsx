/** How layers are told apart: a colour, and a pattern for those who do not see colours. */
import { useId } from "preact/hooks";

const LINES = [
  "",
  "M-1 1L1-1M0 6L6 0M5 7L7 5",
  "M1.5 1.5h.01M4.5 4.5h.01",
  "M0 3h6",
  "M3 0v6",
  "M0 0L6 6M6 0L0 6",
] as const;

/** `colour` is a class that sets `--series` (plot.css) or an agent's hue. */
export interface Look {
  readonly colour: string;
  /** Which of the patterns; 0 is plain. */
  readonly pattern: number;
}

/** Fills by index, for `fill`; the definitions have to be drawn in the same page. */
export function useFills(looks: readonly Look[]) {
  const id = useId();
  const defs = (
    <defs>
      {looks.map(({ colour, pattern }, index) => (
        <pattern
          key={index}
          id={`${id}-${index}`}
          class={`series ${colour}`}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
        >
          <rect width="6" height="6" />
          <path d={LINES[pattern % LINES.length]} />
        </pattern>
      ))}
    </defs>
  );
  return { defs, fillOf: (index: number) => `url(#${id}-${index})` };
}

export function Swatch({ look }: { look: Look }) {
  const { defs, fillOf } = useFills([look]);
  return (
    <svg class="swatch" width="14" height="14" aria-hidden="true">
      {defs}
      <rect width="14" height="14" rx="3" fill={fillOf(0)} />
    </svg>
  );
}
