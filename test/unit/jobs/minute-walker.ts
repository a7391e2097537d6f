/**
 * Ticks found in another way than the product finds them: every minute of a period is looked at, with the offsets
 * that Intl names, and fields are read by a parser of its own.
 */

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;

/** Minutes east of UTC at each quarter of an hour; clocks are changed at these only. */
const offsetTables = new Map<string, Map<number, number>>();

function offsetMinutes(timeZone: string, instant: number): number {
  const table = offsetTables.get(timeZone) ?? new Map<number, number>();
  offsetTables.set(timeZone, table);
  const quarter = Math.floor(instant / QUARTER_MS);
  const known = table.get(quarter) ?? namedOffset(timeZone, quarter * QUARTER_MS);
  table.set(quarter, known);
  return known;
}

const namings = new Map<string, Intl.DateTimeFormat>();

function namedOffset(timeZone: string, instant: number): number {
  const naming =
    namings.get(timeZone) ?? new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  namings.set(timeZone, naming);
  const found = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(naming.format(instant));
  if (found === null) throw new Error(`No offset in ${naming.format(instant)}`);
  const [, sign, hours = "0", minutes = "0"] = found;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

interface Period {
  readonly timeZone: string;
  readonly from: number;
  readonly to: number;
}

/** The ticks after `from`, up to and including `to`, of a cron of five fields made of numbers, `*`, `,`, `-` and `/`. */
export function walkMinutes(cron: string, { timeZone, from, to }: Period): number[] {
  const matches = matcher(cron);
  const local = (instant: number) => instant / MINUTE_MS + offsetMinutes(timeZone, instant);
  const ticks: number[] = [];
  let latest = local(from);
  for (let instant = from + MINUTE_MS; instant <= to; instant += MINUTE_MS) {
    const shown = local(instant);
    let fires = false;
    // More than one step forward: clocks never showed the minutes between.
    for (let minute = latest + 1; minute <= shown; minute += 1) fires = matches(minute) || fires;
    if (fires) ticks.push(instant);
    latest = Math.max(latest, shown);
  }
  return ticks;
}

function matcher(cron: string): (localMinute: number) => boolean {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.split(" ");
  const minutes = valuesOf(minute, 0, 59);
  const hours = valuesOf(hour, 0, 23);
  const days = valuesOf(day, 1, 31);
  const months = valuesOf(month, 1, 12);
  const weekdays = new Set([...valuesOf(weekday, 0, 7)].map((value) => value % 7));
  return (localMinute) => {
    const date = new Date(localMinute * MINUTE_MS);
    if (!minutes.has(date.getUTCMinutes()) || !hours.has(date.getUTCHours())) return false;
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const byDay = days.has(date.getUTCDate());
    const byWeekday = weekdays.has(date.getUTCDay());
    return day !== "*" && weekday !== "*" ? byDay || byWeekday : byDay && byWeekday;
  };
}

function valuesOf(field: string, least: number, most: number): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [first = "", last = first] = range === "*" ? [String(least), String(most)] : range.split("-");
    for (let value = Number(first); value <= Number(last); value += Number(step)) values.add(value);
  }
  return values;
}
