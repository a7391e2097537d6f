/** What a question asks for, and on which side of opposites it stands. */
import { foldUmlaut } from "./fold.ts";

const KINDS: Readonly<Record<string, string>> = {
  place:
    "wo wohin woher where ort stelle pfad path ablageort speicherort folder ordner verzeichnis located location place",
  time: "wann when uhrzeit zeitpunkt datum date frist deadline termin abgabetermin stichtag",
  person:
    "wer wem wen who whom ansprechpartner ansprechpartnerin zustandig zustandige responsible verantwortlich verantwortliche verantwortlicher charge contact",
  amount:
    "wieviel wieviele viel viele many much anzahl betrag hohe amount preis price kosten kostet cost costs",
  reason: "warum weshalb wieso why grund reason",
  manner: "vorgehen gehe ablauf procedure",
  state: "fertig erledigt abgeschlossen bereit ready done finished status stand",
};

const KIND_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(KINDS).flatMap(([kind, words]) =>
    words.split(" ").map((word) => [foldUmlaut(word), kind] as const),
  ),
);

export function kindsOf(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => KIND_OF.get(word) ?? []))].sort();
}

/** Each line: one side, then the other. */
const OPPOSITES = [
  [
    "nicht kein keine keinen keiner keinem keines nie niemals not never no without ohne isnt arent dont doesnt cannot cant",
    "",
  ],
  ["vor vorher before bevor", "nach nachdem danach after"],
  [
    "eingang eingehend eingehende incoming inbound import",
    "ausgang ausgehend ausgehende outgoing outbound export",
  ],
  [
    "neu neue neuen neuer neues neueste new newest latest",
    "alt alte alten alter altes vorherige old previous former",
  ],
  ["minimum mindestens least min", "maximum hochstens most max"],
  ["beginn beginnt anfang start starts begin begins", "ende endet schluss end ends"],
  ["oben obere upper", "untere unteren lower"],
  ["intern interne internen internal", "extern externe externen external"],
];

const SIDE_OF: ReadonlyMap<string, string> = new Map(
  OPPOSITES.flatMap((sides, pair) =>
    sides.flatMap((words, side) =>
      words.split(" ").map((word) => [foldUmlaut(word), `${pair}${side === 0 ? "a" : "b"}`] as const),
    ),
  ).filter(([word]) => word !== ""),
);

export function sidesOf(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => SIDE_OF.get(word) ?? []))].sort();
}

const NEGATION = "0a";

/** One is negated and the other not, or they stand on two sides of an opposite. */
export function areOpposed(a: readonly string[], b: readonly string[]): boolean {
  if (a.includes(NEGATION) !== b.includes(NEGATION)) return true;
  const other = (side: string) => side.slice(0, -1) + (side.endsWith("a") ? "b" : "a");
  return a.some((side) => !b.includes(side) && b.includes(other(side)));
}
