/**
 * Wall time in a time zone. A wall time is written as the epoch milliseconds that it would have in UTC, so it
 * can be counted with; an instant is epoch milliseconds.
 */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(timeZone, made);
  return made;
}

/** What clocks there show at that instant, in whole seconds. */
export function wallTime(instant: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((candidate) => candidate.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** Clocks are changed by a day at most (they were, on the date line), and never twice within two of these. */
const AROUND_MS = 36 * 3_600_000;

/**
 * The instant at which clocks there show that time: the first one where they show it twice, and the moment
 * right after the gap where they never do (L7).
 */
export function instantOf(wall: number, timeZone: string): number {
  const offsets = [wall - AROUND_MS, wall + AROUND_MS].map((near) => wallTime(near, timeZone) - near);
  const candidates = new Set(offsets.map((offset) => wall - offset));
  const instants = [...candidates].filter((at) => wallTime(at, timeZone) === wall);
  return instants.length > 0 ? Math.min(...instants) : endOfGap(wall, timeZone);
}

/** The first second at which clocks show more than that time; they show it never. */
function endOfGap(wall: number, timeZone: string): number {
  let before = Math.floor((wall - AROUND_MS) / 1000);
  let after = Math.ceil((wall + AROUND_MS) / 1000);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallTime(middle * 1000, timeZone) > wall) after = middle;
    else before = middle;
  }
  return after * 1000;
}
