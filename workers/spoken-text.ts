/**
 * What a stream has said so far. Its reader cannot take anything back, while a run may make a model call
 * again: what comes the same is not said twice, what comes otherwise is announced. No I/O.
 */
import type { RunEvent } from "../core/events.ts";

type Delta = Omit<Extract<RunEvent, { type: "delta" }>, "type">;

const BETWEEN_STEPS = "\n\n";
const AGAIN = "\n\n[The answer begins again.]\n\n";

export class SpokenText {
  #step = 0;
  #attempt = 0;
  /** Of this step: what the reader has, and what this attempt has brought. */
  #said = "";
  #heard = "";
  #isSame = true;
  #anything = false;

  /** What to say now; maybe nothing. */
  hear({ step, attempt, text }: Delta): string {
    if (step !== this.#step) this.#begin(step);
    if (attempt !== this.#attempt) this.#retry(attempt);
    this.#heard += text;
    if (this.#isSame) return this.#say(text);
    if (this.#said.startsWith(this.#heard)) return "";
    return this.#catchUp();
  }

  /** What is missing of the reply when the run is over. */
  end(reply: string): string {
    if (reply.trim() === "" || this.#said.trim() === reply.trim()) return "";
    this.#heard = reply;
    return this.#catchUp();
  }

  #begin(step: number): void {
    this.#step = step;
    this.#said = "";
    this.#heard = "";
    this.#isSame = true;
  }

  #retry(attempt: number): void {
    this.#attempt = attempt;
    this.#heard = "";
    this.#isSame = this.#said === "";
  }

  #catchUp(): string {
    this.#isSame = true;
    if (this.#heard.startsWith(this.#said)) return this.#say(this.#heard.slice(this.#said.length));
    this.#said = this.#heard;
    return AGAIN + this.#heard;
  }

  #say(text: string): string {
    const opening = this.#said === "" && text !== "" && this.#anything ? BETWEEN_STEPS : "";
    this.#said += text;
    if (text !== "") this.#anything = true;
    return opening + text;
  }
}
