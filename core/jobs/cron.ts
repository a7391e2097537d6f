/**
 * When a cron expression fires in a time zone. croner reads the expression against wall time, which knows no
 * daylight saving; what wall times mean at its changes is decided here for every kind of expression alike
 * (L7), where croner treats intervals and fixed times differently.
 */
import { Cron } from "croner";
import { instantOf, wallTime } from "./zone.ts";

export interface Timing {
  /** 5 fields, or 6 with seconds in front; checked with the config. */
  readonly cron: string;
  /** An IANA name. */
  readonly timeZone: string;
}

const MAX_KNOWN = 1_000;
const known = new Map<string, Cron>();

function parsed(expression: string): Cron {
  const found = known.get(expression);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const made = new Cron(sixFields(expression).join(" "), { mode: "6-part", timezone: "UTC", paused: true });
  known.set(expression, made);
  return made;
}

function sixFields(expression: string): readonly string[] {
  const fields = expression.trim().split(/\s+/);
  return fields.length === 5 ? ["0", ...fields] : fields;
}

/** Whether it fires at other times than full minutes, which the minute's trigger cannot serve. */
export function needsSeconds(expression: string): boolean {
  return !/^0+$/.test(sixFields(expression)[0] ?? "");
}

/** The first tick after that instant (epoch milliseconds, as the answer); null when there is none any more. */
export function nextTick({ cron, timeZone }: Timing, after: number): number | null {
  const expression = parsed(cron);
  // Wall times that were shown up to now are over. Where clocks were put back, those that come again are too:
  // their first instant lies before.
  for (let wall = wallTime(after, timeZone); ; ) {
    const next = expression.nextRun(new Date(wall));
    if (next === null) return null;
    wall = next.getTime();
    const instant = instantOf(wall, timeZone);
    if (instant > after) return instant;
  }
}
