/**
 * Which names of columns, fields and aliases may reach a database at all. A name is never repaired or folded:
 * it is what the database knows, character by character, or it is refused.
 */
import { Refusal } from "./refusal.ts";

/** Letters of all scripts, since columns have them; no quote, space, point, or control character of any kind. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{Nd}_$-]{0,63}$/u;
const PATH_STEP = /^(?:[\p{L}_][\p{L}\p{M}\p{Nd}_-]{0,63}|\d{1,6})$/u;
const ALIAS = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const MAX_SHOWN = 40;
/** They reach the machinery of objects instead of data. */
const MACHINERY: readonly string[] = ["__proto__", "constructor", "prototype"];

/** The name of a column, or of a field at the top of a document. */
export function checkName(name: string): string {
  if (NAME.test(name) && !MACHINERY.includes(name)) return name;
  throw new Refusal(
    "name_refused",
    `${shown(name)} is no name of a column: letters, digits, "_", "-" and "$" (not first), at most 64.`,
  );
}

/** The name of a field as documents have it: no `$` anywhere. */
export function checkField(name: string): string {
  return checkPath(name, 1);
}

/** Where a field lies in a document: names or positions in lists, with points between. */
export function checkPath(path: string, maxSteps = 8): string {
  const steps = path.split(".");
  const fits = steps.length <= maxSteps && steps.every((step) => PATH_STEP.test(step));
  if (fits && !steps.some((step) => MACHINERY.includes(step))) return path;
  const points = maxSteps === 1 ? "" : ', with points between for a field inside another ("address.city")';
  throw new Refusal(
    "name_refused",
    `${shown(path)} is no name of a field: letters, digits, "_" and "-"${points}.`,
  );
}

/** The name that an aggregate gets in the result. */
export function checkAlias(alias: string): string {
  if (ALIAS.test(alias) && !MACHINERY.includes(alias)) return alias;
  throw new Refusal(
    "name_refused",
    `${shown(alias)} is no name for an aggregate: ASCII letters, digits and "_", at most 64.`,
  );
}

/** A text of the model's as a message may quote it: short, on one line, invisible characters spelled out. */
export function shown(text: string): string {
  const short = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
  return JSON.stringify(short).replace(
    /[^\x20-\x7e]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
