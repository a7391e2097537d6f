/** Where in a JSON text its values stand, by the paths that the API uses in its issues. Pure. */
export type JsonPlaces =
  | { readonly ok: true; readonly places: ReadonlyMap<string, number> }
  /** Where it stops being JSON, as an offset. */
  | { readonly ok: false; readonly offset: number };

export function findPlaces(text: string): JsonPlaces {
  const places = new Map<string, number>();
  const end = readValue({ text, places }, skipSpace(text, 0), "");
  const rest = end < 0 ? end : skipSpace(text, end);
  if (rest === text.length) return { ok: true, places };
  return { ok: false, offset: rest < 0 ? ~rest : rest };
}

/** The line, from 0, of what the path names, or of the nearest that contains it; null when only the whole does. */
export function lineOfPath(text: string, path: string): number | null {
  const found = findPlaces(text);
  if (!found.ok) return null;
  for (let at = path; at !== ""; at = parentOf(at)) {
    const offset = found.places.get(at);
    if (offset !== undefined) return lineAt(text, offset);
  }
  return null;
}

/** @returns from 0 */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("."), path.lastIndexOf("[")));
}

interface Reading {
  readonly text: string;
  readonly places: Map<string, number>;
}

/** Every reader below answers the offset after what it read, or `~offset` of what it could not read. */
function readValue(reading: Reading, at: number, path: string): number {
  const { text, places } = reading;
  if (!places.has(path)) places.set(path, at);
  if (text[at] === "{") return readItems(reading, at, { close: "}", item: readMember(path) });
  if (text[at] === "[") return readItems(reading, at, { close: "]", item: readElement(path) });
  const scalar =
    /^(?:"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)/iu;
  return at + lengthOf(scalar, text, at) === at ? ~at : at + lengthOf(scalar, text, at);
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  return pattern.exec(text.slice(at))?.[0].length ?? 0;
}

interface Items {
  readonly close: string;
  item(reading: Reading, at: number, index: number): number;
}

function readItems(reading: Reading, open: number, { close, item }: Items): number {
  const { text } = reading;
  let at = skipSpace(text, open + 1);
  if (text[at] === close) return at + 1;
  for (let index = 0; ; index += 1) {
    const end = item(reading, at, index);
    if (end < 0) return end;
    at = skipSpace(text, end);
    if (text[at] === close) return at + 1;
    if (text[at] !== ",") return ~at;
    at = skipSpace(text, at + 1);
  }
}

function readMember(path: string) {
  return (reading: Reading, at: number): number => {
    const { text, places } = reading;
    const end = text[at] === '"' ? readValue({ text, places: new Map() }, at, "") : ~at;
    if (end < 0) return end;
    const colon = skipSpace(text, end);
    if (text[colon] !== ":") return ~colon;
    const inside = path + segmentOf(text.slice(at, end));
    const name = inside.replace(/^\./, "");
    places.set(name, at);
    return readValue(reading, skipSpace(text, colon + 1), name);
  };
}

function readElement(path: string) {
  return (reading: Reading, at: number, index: number) => readValue(reading, at, `${path}[${index}]`);
}

/** As the API writes paths. @param quoted a JSON string */
function segmentOf(quoted: string): string {
  const plain = /^"([A-Za-z_$@][A-Za-z0-9_$@-]*)"$/.exec(quoted);
  return plain === null ? `[${quoted}]` : `.${plain[1] ?? ""}`;
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && " \n\r\t".includes(text.charAt(next))) next += 1;
  return next;
}
