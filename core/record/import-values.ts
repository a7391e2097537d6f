/** Cells of an older database as values of ours. SQLite keeps any type in any column, so every cell may be anything. */
import { parseInstant } from "./instant.ts";

/** What a cell holds on its way here: whole numbers beyond 2^53 come as text, binary ones as text or hex. */
export type OldCell = string | number | null;

/** Ids of rows follow time, so a time must lie where they can: from 1971 to 2099. */
const EARLIEST = Date.UTC(1971, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

const MS_PER_DAY = 86_400_000;
const JULIAN_EPOCH = 2_440_587.5;
/** Hundreds of nanoseconds from the year 1 to 1970. */
const TICKS_EPOCH = 621_355_968_000_000_000n;

/** How many digits a count of each unit has, for times between 1971 and 2099. */
const UNITS: readonly { readonly from: number; readonly below: number; readonly perMs: number }[] = [
  { from: 3e7, below: 5e9, perMs: 1 / 1_000 },
  { from: 3e10, below: 5e12, perMs: 1 },
  { from: 3e13, below: 5e15, perMs: 1_000 },
];

/**
 * A point in time as ISO 8601 UTC with milliseconds, or null. Reads ISO with `T` or a space (without a zone it
 * is UTC), `dd.mm.yyyy`, HTTP dates, seconds, milliseconds and microseconds since 1970, ticks, Julian days.
 */
export function readTime(cell: OldCell): string | null {
  const time = typeof cell === "number" ? timeOfNumber(cell) : cell === null ? null : timeOfText(cell.trim());
  return time === null || !(time >= EARLIEST && time < LATEST) ? null : new Date(time).toISOString();
}

function timeOfNumber(value: number): number | null {
  if (value > 2.44e6 && value < 2.49e6) return Math.round((value - JULIAN_EPOCH) * MS_PER_DAY);
  const unit = UNITS.find(({ from, below }) => value >= from && value < below);
  if (unit !== undefined) return Math.floor(value / unit.perMs);
  return value > 6e17 && value < 7e17 ? timeOfTicks(BigInt(Math.trunc(value))) : null;
}

function timeOfTicks(ticks: bigint): number {
  return Number((ticks - TICKS_EPOCH) / 10_000n);
}

const DIGITS = /^\d{4,18}(\.\d+)?$/;
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?\s+(.+))?$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} [\d:]{8} (?:GMT|[+-]\d{4})$/;

function timeOfText(text: string): number | null {
  if (/^6\d{17}$/.test(text)) return timeOfTicks(BigInt(text));
  if (DIGITS.test(text)) return timeOfNumber(Number(text));
  if (HTTP_DATE.test(text)) return Date.parse(text);
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst === null) return timeOfIso(text);
  const [, day = "", month = "", year = "", clock] = dayFirst;
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return timeOfIso(clock === undefined ? date : `${date}T${clock}`);
}

function timeOfIso(text: string): number | null {
  const iso = text
    .replace(/^(\d{4}-\d{2}-\d{2}) +/, "$1T")
    .replace(/ +(?=Z|[+-]\d{2}:?\d{2}$)/i, "")
    .replace(/([+-]\d{2})(\d{2})$/, (zone, hours, minutes) =>
      text.includes(":") ? `${hours}:${minutes}` : zone,
    )
    .replace(/z$/, "Z");
  const instant = parseInstant(iso);
  return instant === null || !isCalendarDay(iso.slice(0, 10)) ? null : Date.parse(instant);
}

/** The 30th of February is none, though JavaScript takes it for the 2nd of March. */
function isCalendarDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/** A finite number, also one that stands in a text; null for anything else. */
export function readNumber(cell: OldCell): number | null {
  const value = typeof cell === "string" && NUMBER.test(cell.trim()) ? Number(cell.trim()) : cell;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A whole number from 0 to 2^53, rounded; null for anything else. */
export function readCount(cell: OldCell): number | null {
  const value = readNumber(cell);
  const whole = value === null ? -1 : Math.round(value);
  return whole >= 0 && Number.isSafeInteger(whole) ? whole : null;
}

const CLOCK = /^(?:(\d{1,5})\.)?(\d{1,3}):(\d{2}):(\d{2}(?:\.\d+)?)$/;

/** Milliseconds: a number of them, or a span like `00:01:02.5` or `1.00:00:00`. */
export function readDuration(cell: OldCell): number | null {
  const span = typeof cell === "string" ? CLOCK.exec(cell.trim()) : null;
  if (span === null) return readCount(cell);
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = span;
  const minutesInAll = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
  return Math.round((minutesInAll * 60 + Number(seconds)) * 1_000);
}

const MONEY = /^(?:US)?\$\s*|\s*(?:USD|\$)$/gi;

/** An amount in whole numbers of a smaller unit, such as dollars in millionths; `factor` is how many of those one is. Null is unknown. */
export function readAmount(cell: OldCell, factor: number): number | null {
  const amount = readNumber(typeof cell === "string" ? cell.trim().replace(MONEY, "") : cell);
  return amount === null ? null : readCount(amount * factor);
}
