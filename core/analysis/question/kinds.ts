/** What a question asks for, and on which side of opposites it stands. */
import { foldText } from "../../record/search-terms.ts";
import { foldUmlaut } from "./fold.ts";
import { VERBS_BEFORE_NAMES } from "./order.ts";

const KINDS: Readonly<Record<string, string>> = {
  place:
    "wo wohin woher where ort stelle pfad path ablageort speicherort folder ordner verzeichnis located location place",
  time: "wann when uhrzeit zeitpunkt datum date frist deadline termin abgabetermin stichtag",
  person:
    "wer wem wen who whom ansprechpartner ansprechpartnerin zustandig zustandige responsible verantwortlich verantwortliche verantwortlicher contact",
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

/**
 * All kinds that words name; of a question that names none whether it is to be answered by yes or no, and what is
 * wanted: leave, duty, advice. Without any of it something is asked for, as with "which".
 */
export function kindsOf(words: readonly string[], sentences: readonly string[]): string[] {
  const named = [...new Set(words.flatMap((word) => KIND_OF.get(word) ?? []))];
  // "Who may" and "who can" ask who does it; "who must" asks for somebody else.
  if (named.includes("person") && sentences.some((sentence) => WHO_MUST.test(foldText(sentence))))
    return [...named, "must"].sort();
  if (named.length > 0) return named.sort();
  const openings = sentences.flatMap((sentence) => openingsOf(sentence));
  const [first] = openings;
  if (first === undefined || words.some((word) => CONTENT.has(word))) return [];
  return [...new Set(["whether", ...openings.flatMap((word) => MODAL_OF.get(word) ?? [])])].sort();
}

const MODALS: Readonly<Record<string, string>> = {
  may: "darf durfen durfte may can kann konnen allowed erlaubt permitted",
  must: "muss mussen musste must",
  should: "soll sollen sollte should shall",
};
const MODAL_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(MODALS).flatMap(([modal, words]) =>
    words.split(" ").map((word) => [foldUmlaut(word), modal] as const),
  ),
);

const WHO_MUST = /\b(wer|who)\s+(muss|must|soll|sollte|should|shall)\b/;

/** Ask for something whatever verb a sentence begins with. */
const CONTENT = new Set(
  "was what which welche welcher welches welchen welchem wie how".split(" ").map(foldUmlaut),
);
/** "Can you tell me", "Hast du", "Is there": a polite way to ask for something. */
const POLITE =
  /^(kannst|konntest|konnt|konnten sie|konnen sie|wurdest|weisst|hast du|habt ihr|haben sie|haben wir|gibt es|gibts|(can|could|would|will|do|have) (you|somebody|someone|anybody|anyone|we have)|(is|are|was|were) there|(may|can|could|kann|darf) (i|ich) (ask|have|get|haben|fragen))\b/;
const ENGLISH_WAS = /^was (the|it|he|she|this|that|our|your|a|an|any)\b/;

/** First words of clauses that are to be answered by yes or no. */
function openingsOf(sentence: string): string[] {
  return sentence.split(/[:,\u2013]|\s-\s/u).flatMap((clause) => {
    const text = foldUmlaut(foldText(clause)).trim();
    const first = /^\p{L}+/u.exec(text)?.[0] ?? "";
    if (POLITE.test(text) || (first === "was" && !ENGLISH_WAS.test(text))) return [];
    return VERBS_BEFORE_NAMES.has(first) || VERBS_FIRST.has(first) ? [first] : [];
  });
}

const VERBS_FIRST = new Set(
  "bekommen bekommst gilt gelten fehlt fehlen steht stehen liegt liegen kommt kommen geht gehort reicht passt stimmt lauft macht nimmt bleibt hangt"
    .split(" ")
    .map(foldUmlaut),
);

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
  ["ab", "bis"],
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
