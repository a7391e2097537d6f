/** Ordinary questions and answers of an office, in German and English: alike in form, never the same. */
import type { Random } from "./random.ts";
import { SLOTS, type Topic } from "./topic.ts";

const WITH_NUMBER: readonly string[] = [
  "Ist die Rechnung RE-{n} schon bezahlt?",
  "What is the status of order {n}?",
  "Wann wurde die Bestellung {n} verschickt?",
  "Can you send me the packing list of shipment S-{n}?",
  "Welcher Betrag steht auf der Gutschrift GU-{n}?",
  "Has ticket {n} been assigned to somebody?",
  "Warum wurde die Buchung {n} storniert?",
  "Who approved purchase request {n}?",
  "Hat der Kunde {n} die Mahnung bekommen?",
  "Please check whether invoice INV-{n} has the right tax rate.",
  "Wie viele Positionen hat der Auftrag {n}?",
  "Which pallet does batch {n} stand on?",
  "Fehlt bei Lieferung {n} noch etwas?",
  "Is the contract C-{n} signed by both sides?",
];

const ANSWERS: readonly string[] = [
  "Ja, seit {n} Tagen.",
  "No, it is still open; I expect it by {n}:30.",
  "Am {n}. des Monats.",
  "Yes, {n} of them.",
  "Das sind {n} Euro.",
  "It is with desk {n}.",
];

/** Nobody asks the same of the same colleague more often than that without being noticed. */
const MOST = 2;

export class SmallTalk {
  readonly #topics: readonly Topic[];
  readonly #random: Random;
  readonly #asked = new Map<string, number>();

  constructor(topics: readonly Topic[], random: Random) {
    this.#topics = topics;
    this.#random = random;
  }

  question(pair: string): string {
    for (let tries = 0; tries < 5 && this.#random.chance(0.3); tries += 1) {
      const topic = this.#random.pick(this.#topics);
      const thing = this.#random.pick(SLOTS[topic.slots]);
      const question = this.about(pair, topic, thing);
      if (question !== null) return question;
    }
    return this.#random.pick(WITH_NUMBER).replace("{n}", String(this.#random.whole(10_000, 9_999_999)));
  }

  /** Null when it has been asked as often as may be. */
  about(pair: string, topic: Topic, thing: string): string | null {
    const key = `${pair} ${this.#topics.indexOf(topic)} ${thing}`;
    const times = this.#asked.get(key) ?? 0;
    if (times >= MOST) return null;
    this.#asked.set(key, times + 1);
    return worded(topic, thing, this.#random);
  }

  /** From now on only whoever plants it asks this. */
  reserve(pair: string, topic: Topic, thing: string): void {
    this.#asked.set(`${pair} ${this.#topics.indexOf(topic)} ${thing}`, MOST);
  }

  answer(): string {
    return this.#random.pick(ANSWERS).replace("{n}", String(this.#random.whole(1, 28)));
  }
}

export function worded(topic: Topic, thing: string, random: Random): string {
  return random.pick(topic.wordings).replaceAll("{x}", thing);
}
