/** Texts of servers, as a model may see them: in a frame that they cannot end, masked, and cut after that. */
import { untrustedLines } from "../../core/tool.ts";

/** Gives back a text without its secrets. */
export type Mask = (text: string) => string;

/** Masked and of at most `chars` characters, with a note of what was cut. */
export function cut(text: string, chars: number, mask: Mask): string {
  const whole = mask(text);
  if (whole.length <= chars) return whole;
  return `${whole.slice(0, chars).toWellFormed()} [${whole.length - chars} more characters]`;
}

/** The text in its frame. Only what could be taken for the frame's end loses its angle brackets. */
export function framed(text: string): string {
  return untrustedLines([resemblesFrame(text) ? withoutBrackets(text) : text]);
}

/** However it is spelled: with spaces, invisible characters, full-width letters. */
function resemblesFrame(text: string): boolean {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .includes("untrustedcontent");
}

function withoutBrackets(text: string): string {
  return text.replace(/[<\uFF1C\uFE64]/g, "&lt;").replace(/[>\uFF1E\uFE65]/g, "&gt;");
}
