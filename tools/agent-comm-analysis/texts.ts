/** Texts within what one result may hold. */

/** The beginning of a text, and how much was left out; no surrogate pair is split. */
export interface CutText {
  readonly text: string;
  readonly leftOut: number;
}

/** Spends a budget of characters on texts, fairly: none gets more than its share of what is left. */
export class TextBudget {
  #left: number;

  constructor(chars: number) {
    this.#left = chars;
  }

  /** `others` more texts are to come. */
  take(text: string, others: number): CutText {
    const share = Math.floor(this.#left / (others + 1));
    const end = text.length <= share ? text.length : cutPosition(text, share);
    this.#left -= end;
    return { text: text.slice(0, end), leftOut: text.length - end };
  }
}

function cutPosition(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
