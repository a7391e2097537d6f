/** What may stand in a header: text that ends no line, starts no other header and hides nothing from the reader. */

export type HeaderProblem = "control_character" | "encoded_word";

/** Ends of lines in every form, other control characters, and marks that turn the direction of writing. */
const CONTROL = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;
const CONTROLS = new RegExp(`${CONTROL.source}+`, "gu");
/** Written out by a sender, it is decoded at the other end into whatever it spells, line breaks included. */
const ENCODED_WORD = /=\?[^?]*\?[bq]\?/i;

/** Why a text may not go into a header (a subject, a name, a file's name); null when it may. */
export function headerProblem(text: string): HeaderProblem | null {
  if (CONTROL.test(text) || !text.isWellFormed()) return "control_character";
  return ENCODED_WORD.test(text) ? "encoded_word" : null;
}

/** The text on one line, each run of control characters a blank. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(CONTROLS, " ").trim();
}

/** Makes any text one that {@link headerProblem} has nothing against, at most `maxChars` characters long. */
export function headerLine(text: string, maxChars: number): string {
  return withoutControls(text).replaceAll("=?", "= ?").slice(0, maxChars).toWellFormed().trim();
}

/** As a sentence's end: "the subject ...". */
export const HEADER_PROBLEMS: Readonly<Record<HeaderProblem, string>> = {
  control_character: "has line breaks or other control characters",
  encoded_word: "has an encoded word (=?...?=), write plain text",
};

/** Longest id that fits a header's line. */
const MAX_ID_CHARS = 250;
const MESSAGE_ID = /^<[!-;=?A-~]+@[!-;=?A-~]+>$/;

/** Whether the text is one Message-ID with its angle brackets. */
export function isMessageId(text: string): boolean {
  return text.length <= MAX_ID_CHARS && MESSAGE_ID.test(text) && headerProblem(text) === null;
}

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}$/i;

/** Whether it is `type/subtype` without parameters, and none that would hold parts of its own. */
export function isAttachmentType(text: string): boolean {
  return MEDIA_TYPE.test(text) && !/^(multipart|message)\//i.test(text);
}
