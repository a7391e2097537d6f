/** Credentials that are recognised by what stands before them: a name, a header, a URL's user. */
import { looksRandom } from "./tokens.ts";

type Report = (start: number, end: number) => void;

/** How far back a name is looked for, and how much may stand between it and its value. */
const NAME_CHARS = 48;

/** The last two letters of all names below: a cheap question before the dear one. */
const NAME_ENDS = new Set(["rd", "wd", "se", "ss", "rt", "et", "ey", "en", "al", "ls", "on"]);
const PASSWORD_NAME = /(?:pass(?:word|wd|wort|phrase)?|pwd|kennwort)$/i;
const SECRET_NAME =
  /(?:secret|(?:api|access|secret|private|auth|account|shared|signing|encryption|subscription|master)[_. -]?key|(?<!(?:page|next|sync|continuation|csrf)[_-]?)token|credentials?)$/i;
const AWS_SECRET_NAME = /secret[_ -]?(?:access[_ -]?)?key[^A-Za-z0-9\u2e80-\uffff]{1,8}$/i;
const HEADER_NAME = /authorization$/i;

/** A text that ends like this may go on with a credential; each shorter end of it after its name matches too. */
export const LEAD_IN =
  /(?:(?:password|passwd|passwort|passphrase|pass|pwd|kennwort|secret|key|token|credentials?|authorization)[^A-Za-z0-9\u2e80-\uffff]{1,16}(?:(?:bearer|basic|token|apikey)[^A-Za-z0-9\u2e80-\uffff]{1,4})?|(?:secret[ ])?(?:api|access|secret|private|auth|account|shared|signing|encryption|subscription|master)[ ]|bearer[ ])$/i;
/** The longest end of a text that {@link LEAD_IN} looks at. */
export const LEAD_IN_CHARS = 64;

const SEPARATOR = /(?:=>|:=|[:=])([ \t]{0,3})([\\]{0,3}["'`])?/y;
const QUOTED_VALUE = /[^\s"'`\\<>{}\u2e80-\uffff]{8,512}/y;
const BARE_VALUE = /[^\s"'`\\,;&|<>(){}[\]\u2e80-\uffff]{8,512}/y;
const HEADER_VALUE =
  /[:=][ \t"'`\\]{0,5}(?:(bearer|basic|token|apikey)(?:[ \t]{1,2}|%20|\+))?([A-Za-z0-9._~+/:-]{8,4096}={0,2})/iy;
const URL_PASSWORD =
  /:\/\/[^\s:@/?#"'`<>\\\u2e80-\uffff]{0,256}:([^\s/?#"'`<>\\,;()|\u2e80-\uffff]{1,512})@(?=[\w[])/y;

/** Reports the credential that the `:` or `=` at `mark` introduces. */
export function findAssigned(text: string, mark: number, report: Report): void {
  if (text.startsWith("://", mark)) {
    URL_PASSWORD.lastIndex = mark;
    const password = URL_PASSWORD.exec(text)?.[1];
    const end = URL_PASSWORD.lastIndex - 1;
    if (password !== undefined && !isUrlPlaceholder(password)) report(end - password.length, end);
    return;
  }
  const nameEnd = endOfName(text, mark);
  if (!NAME_ENDS.has(text.slice(nameEnd - 2, nameEnd).toLowerCase())) return;
  const name = text.slice(Math.max(0, nameEnd - NAME_CHARS), nameEnd);
  if (HEADER_NAME.test(name)) findHeaderValue(text, mark, report);
  else if (PASSWORD_NAME.test(name) || SECRET_NAME.test(name)) findValue(text, mark, name, report);
}

/** Reports an AWS secret key: forty characters without a shape of their own, right after their name. */
export function findAwsSecret(text: string, start: number, end: number, report: Report): void {
  if (end - start === 40 && AWS_SECRET_NAME.test(text.slice(Math.max(0, start - NAME_CHARS), start))) {
    report(start, end);
  }
}

/** Whether what stands under this name in a document may be a credential. */
export function isCredentialName(name: string): boolean {
  return PASSWORD_NAME.test(name) || SECRET_NAME.test(name) || HEADER_NAME.test(name);
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
      ? value.length >= 20 && looksRandom(value)
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

function findValue(text: string, mark: number, name: string, report: Report): void {
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
  if (isCredential(credential, tightness, PASSWORD_NAME.test(name))) report(start, start + value.length);
}

/** The looser the context, the more a value must look like no word, name, path or expression. */
function isCredential(value: string, tightness: Tightness, isPassword: boolean): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || isPlainShape(value)) return false;
  const isName = /^[A-Za-z]+\d*(?:[A-Z_.-][A-Za-z]*\d*)*$/.test(value);
  switch (tightness) {
    case "quoted":
      return isStrong(value) || (isPassword && !(isName && /[_.-]/.test(value)));
    case "tight":
      return isStrong(value) || (isPassword && !/^[a-z]+\d?(?:[A-Z_.-]\w*)+$/.test(value));
    case "loose":
      return !isName && !/[-./]/.test(value) && isStrong(value) && (mixesCase(value) || value.length >= 16);
  }
}

function isStrong(value: string): boolean {
  const numbers = value.match(/\d+/g)?.length ?? 0;
  if (/[!#%^*~?+$&]/.test(value) && (numbers >= 2 || mixesCase(value) || value.length >= 12)) return true;
  return numbers >= 3 || (numbers >= 2 && (mixesCase(value) || value.length >= 16)) || looksRandom(value);
}

function mixesCase(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PLAIN_WORDS = /example|your|change|placeholder|redacted|dummy|sample|\.\.\./i;
/** What is no credential whatever stands before it. */
function isPlainShape(value: string): boolean {
  if (/^[$<{%[*@~./#?!-]/.test(value) || value.includes("${") || value.includes("://")) return true;
  if (
    /^[\w.+-]+@[\w.-]+$/.test(value) ||
    UUID.test(value) ||
    /^\d{4}-\d\d-\d\d/.test(value) ||
    PLAIN_WORDS.test(value)
  )
    return true;
  if (/^[\w-]+(?:\.[\w-]+)+$/.test(value) && !looksRandom(value)) return true;
  return value.includes("/") && !(mixesCase(value) && looksRandom(value));
}

function isUrlPlaceholder(password: string): boolean {
  return (
    /^(?:pass(?:word|wd|wort)?|pwd|secret|token|x+|\*+|\.+|%[a-z]|\d{1,5})$/i.test(password) ||
    /^[$<{[*]/.test(password)
  );
}
