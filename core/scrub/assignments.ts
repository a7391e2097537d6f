/** Credentials that are recognised by what stands before them: a name, a header, a URL's user. */
import type { Range } from "./spans.ts";
import { looksRandom } from "./tokens.ts";

type Report = (start: number, end: number) => void;

// Every pattern here is without nested or adjacent repetitions of the same characters, so none can go back far.

/** How far back a name is looked for, and how much may stand between it and its value. */
const NAME_CHARS = 24;
const MAX_GAP = 16;

const PASSWORD_NAMES = ["password", "passwort", "passwd", "passphrase", "pass", "pwd", "kennwort"];
const SECRET_NAMES = ["secret", "token", "credential", "credentials"];
/** A key is secret if one of these comes before the word. */
const KEY_KINDS =
  /(?:api|access|secret|private|auth|account|shared|signing|encryption|subscription|master)[_. -]?key$/;
/** Tokens that only say where a list goes on, or that a form is genuine. */
const PLAIN_TOKENS = /(?:page|next|sync|continuation|csrf)[_-]?token$/;
/** The last letters of all names: a cheap question before the dear ones. */
const NAME_ENDS = "dtesynl";
const AWS_SECRET_NAME = /secret[_ -]?(?:access[_ -]?)?key[^A-Za-z0-9\u2e80-\uffff]{1,8}$/i;

const KEYWORD_END =
  /(?:pass(?:word|wd|wort|phrase)?|pwd|kennwort|secret|key|token|credentials?|authorization|bearer)$/i;
const FIRST_WORD_END =
  /(?:api|access|secret|private|auth|account|shared|signing|encryption|subscription|master)$/i;
const SCHEME_END = /(?:bearer|basic|token|apikey)$/i;

/**
 * Whether the text may go on with a credential that one of the names in it introduces. It is true for each
 * shorter end of such an introduction too, up to the name.
 */
export function endsInLeadIn(text: string): boolean {
  const wordEnd = endOfWord(text, text.length);
  const tail = text.slice(Math.max(0, wordEnd - NAME_CHARS), wordEnd);
  if (wordEnd === text.length || tail === "") return false;
  if (KEYWORD_END.test(tail) || FIRST_WORD_END.test(tail)) return true;
  const scheme = SCHEME_END.exec(tail)?.[0];
  if (scheme === undefined) return false;
  const nameEnd = endOfWord(text, wordEnd - scheme.length);
  return /authorization$/i.test(text.slice(Math.max(0, nameEnd - NAME_CHARS), nameEnd));
}
/** The longest end of a text that {@link endsInLeadIn} looks at. */
export const LEAD_IN_CHARS = 2 * (NAME_CHARS + MAX_GAP);

function endOfWord(text: string, from: number): number {
  let end = from;
  while (end > 0 && from - end < MAX_GAP && !/[A-Za-z0-9\u2e80-\uffff]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

const SEPARATOR = /(?:=>|:=|[:=])([ \t]{0,3})([\\]{0,3}["'`])?/y;
const QUOTED_VALUE = /[^\s"'`\\<>{}\u2e80-\uffff]{8,512}/y;
const BARE_VALUE = /[^\s"'`\\,;&|<>(){}[\]\u2e80-\uffff]{8,512}/y;
const HEADER_VALUE =
  /[:=][ \t"'`\\]{0,5}(?:(bearer|basic|token|apikey)(?:[ \t]{1,2}|%20|\+))?([A-Za-z0-9][A-Za-z0-9._~+/-]{7,4095}={0,2})/iy;
const URL_PASSWORD =
  /:\/\/[^\s:@/?#"'`<>\\\u2e80-\uffff]{0,256}:([^\s/?#"'`<>\\,;()|\u2e80-\uffff]{1,512})@(?=[\w[])/y;

/** Reports what follows the name of a credential and `:` or `=`, and passwords in URLs. */
export function findAssigned(text: string, report: Report): void {
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) findAfter(text, at, report);
  for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1)) findAfter(text, at, report);
}

function findAfter(text: string, mark: number, report: Report): void {
  if (text.startsWith("://", mark)) {
    URL_PASSWORD.lastIndex = mark;
    const password = URL_PASSWORD.exec(text)?.[1];
    const end = URL_PASSWORD.lastIndex - 1;
    if (password !== undefined && !isUrlPlaceholder(password)) report(end - password.length, end);
    return;
  }
  const nameEnd = endOfName(text, mark);
  if (nameEnd === 0 || !NAME_ENDS.includes(text.charAt(nameEnd - 1).toLowerCase())) return;
  const kind = kindOfName(text.slice(Math.max(0, nameEnd - NAME_CHARS), nameEnd));
  if (kind === "header") findHeaderValue(text, mark, report);
  else if (kind !== null) findValue(text, mark, { report, isPassword: kind === "password" });
}

/** Reports an AWS secret key: forty characters without a shape of their own, right after their name. */
export function findAwsSecret(text: string, { start, end }: Range, report: Report): void {
  if (end - start === 40 && AWS_SECRET_NAME.test(text.slice(Math.max(0, start - 2 * NAME_CHARS), start))) {
    report(start, end);
  }
}

/** Whether what stands under this name in a document may be a credential. */
export function isCredentialName(name: string): boolean {
  return kindOfName(name.slice(-NAME_CHARS)) !== null;
}

function kindOfName(name: string): "password" | "secret" | "header" | null {
  const lower = name.toLowerCase();
  if (lower.endsWith("key")) return KEY_KINDS.test(lower) ? "secret" : null;
  if (lower.endsWith("token") && PLAIN_TOKENS.test(lower)) return null;
  if (lower.endsWith("authorization")) return "header";
  if (PASSWORD_NAMES.some((end) => lower.endsWith(end))) return "password";
  return SECRET_NAMES.some((end) => lower.endsWith(end)) ? "secret" : null;
}

function endOfName(text: string, mark: number): number {
  let end = mark;
  while (mark - end < 6 && /[ \t\r\n"'`\\*]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

function findHeaderValue(text: string, mark: number, report: Report): void {
  HEADER_VALUE.lastIndex = mark;
  const [, scheme, value] = HEADER_VALUE.exec(text) ?? [];
  if (value === undefined) return;
  const end = HEADER_VALUE.lastIndex;
  const found =
    scheme === undefined
      ? value.length >= 20 && /\d/.test(value) && looksRandom(value) && !UUID.test(value)
      : scheme.toLowerCase() === "basic"
        ? isBasicCredential(value)
        : isTokenValue(value);
  if (found) report(end - value.length, end);
}

function isBasicCredential(value: string): boolean {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return false;
  const base64 = value.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "");
  return base64.length % 4 !== 1 && /^[ -~\u0080-\u00ff]*:[ -~\u0080-\u00ff]+$/.test(atob(base64));
}

/** A header's token: not a name in words, such as `oauth2-token` or `YOUR_TOKEN`. */
function isTokenValue(value: string): boolean {
  if (looksRandom(value)) return true;
  return value.length >= 10 && /\d/.test(value) && !/^[a-z]+\d?(?:[._-][a-z]+\d?)*$/i.test(value);
}

type Tightness = "quoted" | "tight" | "loose";

interface ValueRule {
  readonly report: Report;
  readonly isPassword: boolean;
}

function findValue(text: string, mark: number, { report, isPassword }: ValueRule): void {
  SEPARATOR.lastIndex = mark;
  const [all = "", space = "", quote] = SEPARATOR.exec(text) ?? [];
  const pattern = quote === undefined ? BARE_VALUE : QUOTED_VALUE;
  const start = mark + all.length;
  pattern.lastIndex = start;
  const value = pattern.exec(text)?.[0];
  if (value === undefined || /[(.[]/.test(text.charAt(start + value.length))) return;
  const bare = space === "" && all.endsWith("=") && !/\s/.test(text.charAt(mark - 1)) ? "tight" : "loose";
  const tightness = quote === undefined ? bare : "quoted";
  const credential = value.replace(/[.:!?]+$/, "");
  if (isCredential(credential, tightness, isPassword)) report(start, start + value.length);
}

/** The looser the context, the more a value must look like no word, name, path or expression. */
function isCredential(value: string, tightness: Tightness, isPassword: boolean): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || isPlainShape(value)) return false;
  const isName = /^[A-Za-z][a-z]*\d*(?:[A-Z_.-][a-z]*\d*)*$/.test(value);
  switch (tightness) {
    case "quoted":
      return isStrong(value) || (isPassword && !(isName && /[_.-]/.test(value)));
    case "tight":
      return isStrong(value) || (isPassword && !/^[a-z]+\d?[A-Z_.-][\w.-]*$/.test(value));
    case "loose":
      return !isName && !/[-./]/.test(value) && isStrong(value) && (mixesCase(value) || value.length >= 16);
  }
}

function isStrong(value: string): boolean {
  const numbers = value.match(/\d+/g)?.length ?? 0;
  if (/[!#%^*~?$&]/.test(value) && (numbers >= 2 || mixesCase(value) || value.length >= 12)) return true;
  return numbers >= 3 || (numbers >= 2 && (mixesCase(value) || value.length >= 16)) || looksRandom(value);
}

function mixesCase(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PLAIN_WORDS = /example|your|change|placeholder|redacted|dummy|sample|\.\.\./i;
/** What is no credential whatever stands before it. */
function isPlainShape(value: string): boolean {
  if (/^[$<{%[*@~./#?!+-]/.test(value) || value.includes("${") || value.includes("://")) return true;
  if (
    /^[\w.+-]+@[\w.-]+$/.test(value) ||
    UUID.test(value) ||
    /^\d{4}-\d\d-\d\d/.test(value) ||
    PLAIN_WORDS.test(value)
  )
    return true;
  if (/^[a-z]+\d?(?:[._-][a-z]+\d?)+$/i.test(value)) return true;
  if (/^[\w-]+(?:\.[\w-]+)+$/.test(value) && !looksRandom(value)) return true;
  return value.includes("/") && !(mixesCase(value) && looksRandom(value));
}

function isUrlPlaceholder(password: string): boolean {
  return (
    password.length < 3 ||
    /^(?:pass(?:word|wd|wort)?|pwd|secret|token|x+|\*+|\.+|%[a-z]|\d{1,5})$/i.test(password) ||
    /^[$<{[*]/.test(password)
  );
}
