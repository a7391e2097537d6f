/**
 * The guard of every path that a model or a config names. It never repairs a path, it refuses: the one
 * change it makes is Unicode's composed form (NFC), so that one name cannot stand for two files.
 * Keys in R2 know no "..", but files leave R2 again: by download, sync and backup, onto systems that do.
 */

export type PathFault =
  | "empty"
  | "too_long"
  | "malformed"
  | "control_character"
  | "invisible_character"
  | "backslash"
  | "encoded"
  | "lookalike"
  | "reserved_character"
  | "absolute"
  | "home"
  | "empty_segment"
  | "traversal"
  | "outer_space_or_dot"
  | "device_name";

export type PathCheck =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: PathFault; readonly reason: string };

/** A path below the root folder, in UTF-8 bytes; R2 keys hold 1,024 and the root folder needs its share. */
export const MAX_PATH_BYTES = 700;
/** What common file systems take as one name. */
export const MAX_SEGMENT_BYTES = 255;

const DOTS = "\u2024\u2025\u2026\u3002\ua4f8\ua4fa\u06d4\u0701\u0702\ufe19\ufe30\uff61";
const SLASHES = "\u2044\u2215\u29f8\u2571\u27cb\u3033\u1735\u0337\u0338";
const BACKSLASHES = "\u2216\u29f5\u29f9\u2572\u27cd\u20e5";
const COLONS_AND_PERCENTS = "\u2236\ua789\u02f8\u05c3\u066a";
const LOOKALIKE = new RegExp(`[${DOTS}${SLASHES}${BACKSLASHES}${COLONS_AND_PERCENTS}]`, "u");
/** What compatibility forms (full-width and small ones, digits with a full stop) must not turn into. */
const STRUCTURAL = /[./\\:%]/;
const NON_ASCII = /[^\0-\x7f]/gu;

/** Format characters, fillers, variation selectors, private use, noncharacters, and spaces other than " ". */
const INVISIBLE =
  /[\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]|(?! )\p{Zs}/u;
/** Percent escapes also in the `%u002e` form, and "./" as overlong UTF-8 that was read as Latin-1. */
const ENCODED = /%[0-9a-f]{2}|%u[0-9a-f]{4}|\u00c0[\u00ae\u00af]/iu;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)$/i;

interface Rule {
  readonly code: PathFault;
  readonly reason: string;
  readonly breaks: (text: string) => boolean;
}

/** Asked of the whole path, in this order. */
const PATH_RULES: readonly Rule[] = [
  { code: "empty", reason: "it is empty", breaks: (path) => path === "" },
  { code: "malformed", reason: "it holds half a character", breaks: (path) => !path.isWellFormed() },
  {
    code: "too_long",
    reason: `it is longer than ${MAX_PATH_BYTES} bytes`,
    breaks: (path) => byteLength(path) > MAX_PATH_BYTES,
  },
  {
    code: "control_character",
    reason: "it holds a control character",
    breaks: (path) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path),
  },
  {
    code: "invisible_character",
    reason: "it holds an invisible or direction-changing character",
    breaks: (path) => INVISIBLE.test(path),
  },
  {
    code: "backslash",
    reason: "folders are separated by /, not by \\",
    breaks: (path) => path.includes("\\"),
  },
  {
    code: "encoded",
    reason: "names are written as they are, without percent or other encoding",
    breaks: (path) => ENCODED.test(path),
  },
  {
    code: "lookalike",
    reason: "it holds a character that looks like a dot, slash, colon or percent sign",
    breaks: holdsLookalike,
  },
  {
    code: "absolute",
    reason: "it starts with /, paths are relative",
    breaks: (path) => path.startsWith("/"),
  },
  {
    code: "reserved_character",
    reason: 'none of < > : " | ? * may be in a name',
    breaks: (path) => /[<>:"|?*]/.test(path),
  },
];

/** Asked of each name in the path, in this order. */
const SEGMENT_RULES: readonly Rule[] = [
  { code: "empty_segment", reason: "a folder's name is empty", breaks: (segment) => segment === "" },
  {
    code: "too_long",
    reason: `a name is longer than ${MAX_SEGMENT_BYTES} bytes`,
    breaks: (segment) => byteLength(segment) > MAX_SEGMENT_BYTES,
  },
  {
    code: "traversal",
    reason: "it may not leave or restate its folder with . or ..",
    breaks: (segment) => segment.startsWith("..") || /^[. ]+$/.test(segment),
  },
  {
    code: "home",
    reason: "a name starts with ~",
    breaks: (segment) => segment.normalize("NFKC").startsWith("~"),
  },
  {
    code: "outer_space_or_dot",
    reason: "a name starts with a space, or ends in a space or a dot",
    breaks: (segment) => /^ |[ .]$/.test(segment),
  },
  { code: "device_name", reason: "a name means a device on some systems", breaks: isDeviceName },
];

/** Checks a relative path of one or more names; `path` is what to use from then on. */
export function checkPath(raw: string): PathCheck {
  const path = raw.normalize("NFC");
  const broken =
    PATH_RULES.find((rule) => rule.breaks(path)) ??
    path.split("/").flatMap((segment) => SEGMENT_RULES.filter((rule) => rule.breaks(segment)))[0];
  return broken === undefined ? { ok: true, path } : { ok: false, code: broken.code, reason: broken.reason };
}

/**
 * The extension of a path's last name in lower case with its dot, or null. Only ASCII letters and digits
 * count, so that no case folding of other letters (dotless i, Kelvin sign) can reach an allowed one.
 */
export function extensionOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const match = /^.+(\.[A-Za-z0-9]+)$/su.exec(name);
  return match?.[1]?.toLowerCase() ?? null;
}

function holdsLookalike(path: string): boolean {
  const foreign = path.match(NON_ASCII) ?? [];
  return foreign.some(
    (character) => LOOKALIKE.test(character) || STRUCTURAL.test(character.normalize("NFKC")),
  );
}

/** Such a name is a device whatever extension follows it. */
function isDeviceName(segment: string): boolean {
  const stem = segment.normalize("NFKC").split(".")[0] ?? "";
  return DEVICE.test(stem.trim());
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
