/** How long ago, in one unit, and the zone of whoever looks. */
import { signal } from "@preact/signals";
import { language } from "../language/language.ts";

const MINUTE = 60_000;
const locale = language === "de" ? "de-DE" : "en-GB";

/** The present moment, in milliseconds, moving twice a minute. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, MINUTE / 2);

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ["day", 1_440 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];

/** `5 min`, `3 hrs`, `2 days`. @param ms under a minute counts as one */
export function formatAge(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms >= length) ?? ["minute", MINUTE];
  const style = { style: "unit", unit, unitDisplay: "short" } as const;
  return new Intl.NumberFormat(locale, style).format(Math.max(1, Math.floor(ms / size)));
}

/** The viewer's zone by name, as `Europe/Berlin`. */
export const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
