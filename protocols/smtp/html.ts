/** HTML of mails as text, in a time that grows with its length only. */
import PostalMime from "postal-mime";

/** Longer ones hold pictures or are an attack: the library looks for the end of a tag again and again. */
const MAX_TAG_CHARS = 2_000;

/** The library converts HTML where a message mixes it with plain text: so it gets a message that does. */
export async function htmlToText(html: string): Promise<string> {
  const part = (type: string, content: string) =>
    `--part\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${content}\r\n`;
  const content = Buffer.from(tamed(html)).toString("base64");
  const email = await PostalMime.parse(
    "Content-Type: multipart/mixed; boundary=part\r\n\r\n" +
      `${part("text/plain", "")}${part("text/html", content)}--part--\r\n`,
  );
  return email.text ?? "";
}

/** Without style sheets, whose content the library would leave in, and without tags beyond all measure. */
function tamed(html: string): string {
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
