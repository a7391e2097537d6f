/** How one character or blank may be spelled where texts are escaped for JSON, URLs, forms, mail or HTML, as sources of patterns. */

/** Of the characters from U+00A0 on, in their order. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest " +
  "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig " +
  "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(" ").map((name, at) => [String.fromCharCode(0xa0 + at), name] as const),
  ["&", "amp"],
  ["<", "lt"],
  [">", "gt"],
  ['"', "quot"],
  ["'", "apos"],
  ["@", "commat"],
  [".", "period"],
  [",", "comma"],
  [":", "colon"],
  ["+", "plus"],
  ["/", "sol"],
  ["_", "lowbar"],
  ["(", "lpar"],
  [")", "rpar"],
  ["#", "num"],
  ["!", "excl"],
  ["?", "quest"],
  ["*", "ast"],
  ["=", "equals"],
  ["%", "percnt"],
  ["$", "dollar"],
]);

/** What was escaped twice has its own mark escaped. */
const AMP = String.raw`(?:&|\\+u0026)(?:amp;)*`;
const PERCENT = "%(?:25)*";

const entity = (code: number) => `${AMP}#(?:0*${code}|x0*${code.toString(16)});`;

const BLANK_CODES = [9, 10, 11, 12, 13, 32, 160].map(entity).join("|");

/** A run of blanks, which is one whatever wrapped it. A plus sign is a blank in a form. */
export const BLANKS = String.raw`(?:\s|\+|\\+[nrt]|\\+u(?:00(?:20|a0|0[9a-d])|20[0-2][0-9a-f]|3000)|${PERCENT}(?:20|0[9ad]|c2${PERCENT}a0)|=(?:20|c2=a0)|${AMP}nbsp;|${BLANK_CODES})+`;

/** A run of backslashes: how many there are depends on who escaped it. */
export const BACKSLASHES = String.raw`(?:\\+u005c|\\|${PERCENT}5c|=5c|${entity(92)}|${AMP}bsol;)+`;

/** A character in either case. */
export function charPattern(char: string): string {
  const cases = [...new Set([char, char.toLowerCase(), char.toUpperCase()])].filter(
    (each) => [...each].length === 1,
  );
  const spellings = cases.flatMap((each) => [jsonEscape(each), ...byteEscapes(each), ...htmlEscapes(each)]);
  // Quotes and slashes may have any number of backslashes before them.
  const literal = /["'/]/.test(char) ? String.raw`\\*${char}` : literally(char);
  // The literal one comes last: a percent sign also begins its own escape.
  return `(?:${[...new Set([...spellings, literal])].join("|")})`;
}

function literally(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|]/u, String.raw`\$&`);
}

function jsonEscape(char: string): string {
  const units = Array.from({ length: char.length }, (_, at) =>
    char.charCodeAt(at).toString(16).padStart(4, "0"),
  );
  return units.map((unit) => String.raw`\\+u${unit}`).join("");
}

/** For URLs, and quoted-printable as in mail. */
function byteEscapes(char: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(char), (byte) => byte.toString(16).padStart(2, "0"));
  return [PERCENT, "="].map((mark) => bytes.map((byte) => mark + byte).join(""));
}

function htmlEscapes(char: string): string[] {
  const name = ENTITIES.get(char);
  return [entity(char.codePointAt(0) ?? 0), ...(name === undefined ? [] : [`${AMP}${name};`])];
}
