/** Dates, money and amounts as people read them, in the page's language and the viewer's time zone. */
import { language } from "./language.ts";

const locale = language === "de" ? "de-DE" : "en-GB";
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });
const longDay = new Intl.DateTimeFormat(locale, {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const shortDay = new Intl.DateTimeFormat(locale, { day: "2-digit", month: "2-digit", year: "2-digit" });
const relativeDay = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const whole = new Intl.NumberFormat(locale);
const DAY_MS = 86_400_000;

/** `14:05`. @param iso ISO 8601, here and below; what is no date is given back as it came. */
export const formatClock = (iso: string): string => withDate(iso, (date) => clock.format(date));
/** Everything down to the second. */
export const formatExact = (iso: string): string => withDate(iso, (date) => exact.format(date));
/** Day and time, short. */
export const formatMoment = (iso: string): string => withDate(iso, (date) => short.format(date));
export const formatCount = (count: number): string => whole.format(count);

/** `YYYY-MM-DD` in the viewer's time zone. */
export function dayKey(iso: string): string {
  const date = new Date(iso);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

/** Today, yesterday, the weekday within the last week, else the date. */
export function formatDay(iso: string, now: Date): string {
  return withDate(iso, (date) => {
    const age = daysBetween(date, now);
    if (age === 0 || age === 1) return capital(relativeDay.format(-age, "day"));
    return age > 1 && age < 7 ? capital(weekday.format(date)) : longDay.format(date);
  });
}

/** The time of today, else the day: for lists. */
export function formatRecent(iso: string, now: Date): string {
  return withDate(iso, (date) => {
    const age = daysBetween(date, now);
    if (age === 0) return clock.format(date);
    if (age === 1) return capital(relativeDay.format(-1, "day"));
    return age > 1 && age < 7 ? capital(weekday.format(date)) : shortDay.format(date);
  });
}

/** `850 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`. @param ms milliseconds */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${decimal(ms / 1_000, 1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
}

/** US dollars with as many digits as it takes to tell a small amount from nothing; null is unknown. */
export function formatMoney(usd: number | null, unknown: string): string {
  if (usd === null) return unknown;
  const digits = usd === 0 || usd >= 1 ? 2 : usd >= 0.001 ? 4 : 6;
  const style = { style: "currency", currency: "USD", minimumFractionDigits: 2 } as const;
  return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: digits }).format(usd);
}

export function decimal(value: number, digits: number): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
}

function withDate(iso: string, format: (date: Date) => string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : format(date);
}

function daysBetween(date: Date, now: Date): number {
  const midnight = (day: Date) => Date.UTC(day.getFullYear(), day.getMonth(), day.getDate());
  return Math.round((midnight(now) - midnight(date)) / DAY_MS);
}

function capital(text: string): string {
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);
}
