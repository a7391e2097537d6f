/** HTML of mails, made such that the library turns it into text in a time that grows with its length only. */

/** Longer ones hold pictures or are an attack: the library looks for the end of a tag again and again. */
const MAX_TAG_CHARS = 2_000;

/** Without style sheets, whose content the library would leave in, and without tags beyond all measure. */
export function tamed(html: string): string {
  return withoutLongTags(withoutStyles(html));
}

function withoutStyles(html: string): string {
  const opening = /<style/gi;
  const closing = /<\/style/gi;
  let kept = "";
  for (let from = 0; ; from = closing.lastIndex) {
    opening.lastIndex = from;
    const start = opening.exec(html)?.index;
    if (start === undefined) return kept + html.slice(from);
    kept += `${html.slice(from, start)} `;
    closing.lastIndex = start;
    if (closing.exec(html) === null) return kept;
  }
}

function withoutLongTags(html: string): string {
  let kept = "";
  let from = 0;
  for (let start = html.indexOf("<"); start >= 0; start = html.indexOf("<", from)) {
    const end = html.indexOf(">", start);
    kept += html.slice(from, start);
    if (end < 0) return kept;
    if (end - start <= MAX_TAG_CHARS) kept += html.slice(start, end + 1);
    from = end + 1;
  }
  return kept + html.slice(from);
}
