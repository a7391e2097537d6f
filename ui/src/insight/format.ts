/** Rates, steps of time and bins as people read them. Steps are UTC, as they are counted. */
import { decimal, formatCount, formatDuration, formatMoney } from "../language/format.ts";
import { language } from "../language/language.ts";
import { words } from "../language/words.ts";
import type { Cost } from "./facts.ts";
import type { Bin } from "./plot/rebin.ts";
import { dateOfStep, type Grain } from "./plot/time-steps.ts";
import { texts } from "./texts.ts";

const locale = language === "de" ? "de-DE" : "en-GB";
const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });

const SHORT = {
  hour: utc({ hour: "2-digit", minute: "2-digit" }),
  day: utc({ day: "numeric", month: "short" }),
  month: utc({ month: "short", year: "2-digit" }),
};
const LONG = {
  hour: utc({ dateStyle: "medium", timeStyle: "short" }),
  day: utc({ weekday: "short", day: "numeric", month: "long", year: "numeric" }),
  month: utc({ month: "long", year: "numeric" }),
};

export function stepLabels(step: string, grain: Grain): { readonly short: string; readonly long: string } {
  const date = dateOfStep(step);
  return { short: SHORT[grain].format(date), long: LONG[grain].format(date) };
}

const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
const finePercent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });

/** Null is nothing to count of. */
export function formatRate(rate: number | null): string {
  if (rate === null) return texts.none;
  return (rate > 0 && rate < 0.1 ? finePercent : percent).format(rate);
}

export const rateOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export const formatUsd = (usd: number | null): string => formatMoney(usd, words.unknownCost);

export function formatCost({ usd, atLeast }: Cost): string {
  return atLeast ? texts.atLeast(formatUsd(usd)) : formatUsd(usd);
}

/** Where nothing was timed there is no time. */
export const formatTime = (ms: number | null): string => (ms === null ? texts.none : formatRound(ms));

const UNITS = [
  [86_400_000, texts.units.day],
  [3_600_000, texts.units.hour],
  [60_000, texts.units.minute],
] as const;

/** Like a duration; whole days, hours and minutes without the rest that is none. */
export function formatRound(ms: number): string {
  const unit = UNITS.find(([length]) => ms >= length && ms % length === 0);
  if (unit !== undefined) return `${formatCount(ms / unit[0])} ${unit[1]}`;
  return ms >= 2 * 86_400_000 ? `${decimal(ms / 86_400_000, 1)} ${texts.units.day}` : formatDuration(ms);
}

/** `below` is what is labelled: a bin holds what took less. */
export function binLabels({ from, below }: Bin, format: (value: number) => string) {
  const isLast = below === Number.POSITIVE_INFINITY;
  return {
    short: isLast ? `> ${format(from)}` : `< ${format(below)}`,
    long: isLast ? texts.from(format(from)) : texts.between(format(from), format(below)),
  };
}
