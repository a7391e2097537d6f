/** Cron expressions and time zones, as far as a config can be wrong about them. */
import { Cron } from "croner";
import { z } from "zod";

/**
 * An expression that never fires after this instant never fires at all: the calendar repeats. A fixed
 * instant, so that the same config is judged the same on every day.
 */
const REFERENCE = new Date("2024-01-01T00:00:00Z");

const FIELDS = ["second", "minute", "hour", "day", "month", "weekday"] as const;

/** Says what is wrong with a cron expression of 5 fields, or 6 with seconds in front; null when it is good. */
function cronFault(expression: string): string | null {
  const given = expression.trim().split(/\s+/);
  if (given.length < 5 || given.length > 6) return "Must have 5 cron fields, or 6 with seconds in front";
  const fields = given.length === 5 ? ["0", ...given] : given;
  const wrong = FIELDS.find((_, position) => fieldIsWrong(fields, position));
  if (wrong !== undefined) return `The ${wrong} field is not valid in cron`;
  return parse(fields)?.nextRun(REFERENCE) ? null : "Never fires: no date fits these fields";
}

/** Tried field by field, so that the message names the field and repeats nothing of it. */
function fieldIsWrong(fields: readonly string[], position: number): boolean {
  const field = fields[position] ?? "";
  // croner puts the current time in place of `?`, so the job would move with each restart.
  if (field.includes("?")) return true;
  return parse(FIELDS.map((_, other) => (other === position ? field : "*"))) === null;
}

function parse(fields: readonly string[]): Cron | null {
  try {
    return new Cron(fields.join(" "), { mode: "6-part", timezone: "UTC", paused: true });
  } catch {
    return null;
  }
}

/** Whether the name is an IANA time zone; fixed offsets such as +02:00 are refused, they know no daylight saving. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const MAX_CRON_CHARS = 200;

export const cronSchema = z
  .string()
  .max(MAX_CRON_CHARS)
  .superRefine((expression, context) => {
    const fault = expression.length > MAX_CRON_CHARS ? null : cronFault(expression);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });

export const timeZoneSchema = z
  .string()
  .max(64)
  .refine(isTimeZone, "Not a time zone name such as Europe/Berlin or UTC");
