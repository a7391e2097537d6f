/** Where a walk over the roll-ups stands, as text that callers hand back. */
import { z } from "zod";

/** `part` and `place` mean what the phase makes of them; both are empty at its beginning. */
export interface Place {
  readonly part: string;
  readonly place: string;
}

export interface Cursor<Phase extends string> extends Place {
  readonly phase: Phase;
}

const MAX_CHARS = 400;
const shape = z.tuple([z.string(), z.string(), z.string()]);

export function writeCursor({ phase, part, place }: Cursor<string>): string {
  return JSON.stringify([phase, part, place]);
}

/** Null for a text that `writeCursor` did not make of one of these phases; no text is the beginning. */
export function readCursor<const Phase extends string>(
  text: string | null,
  phases: readonly [Phase, ...Phase[]],
): Cursor<Phase> | null {
  if (text === null) return { phase: phases[0], part: "", place: "" };
  const parsed = shape.safeParse(text.length > MAX_CHARS ? null : jsonOf(text));
  const [name, part, place] = parsed.data ?? [];
  const phase = phases.find((each) => each === name);
  return phase === undefined || part === undefined || place === undefined ? null : { phase, part, place };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
