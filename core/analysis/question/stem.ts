/** Light stemming for German and English at once: endings go, nothing is looked up. */

const MIN_STEM = 4;
/** Longest first; of compound endings only the outer one goes. */
const ENDINGS = [
  "ungen",
  "innen",
  "ments",
  "ations",
  "ation",
  "ment",
  "ung",
  "ern",
  "ies",
  "ing",
  "ied",
  "ed",
  "em",
  "en",
  "er",
  "es",
  "ly",
  "s",
  "e",
  "y",
];

/** Two rounds at most, so that "Lieferungen" and "Lieferung", "deliveries" and "delivery" meet. */
export function stem(word: string): string {
  return cutEnding(cutEnding(word));
}

function cutEnding(word: string): string {
  const ending = ENDINGS.find((each) => word.endsWith(each) && word.length - each.length >= MIN_STEM);
  return ending === undefined ? word : word.slice(0, -ending.length);
}
