/** The language that the page speaks, and how a part of it declares its texts in both. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

const storageKey = "parley-language";

export const language: Language = chosen() ?? preferred();

/** Keeps the choice and shows the page in it; the address keeps what was open. */
export function chooseLanguage(choice: Language): void {
  localStorage.setItem(storageKey, choice);
  location.reload();
}

type Text = string | ((...values: never[]) => string);
interface Texts {
  readonly [name: string]: Text | Texts;
}
type SameTexts<T> = {
  readonly [Name in keyof T]: T[Name] extends string
    ? string
    : T[Name] extends Text
      ? T[Name]
      : SameTexts<T[Name]>;
};

/** The texts of a part of the page in the language spoken. One that lacks in German is a type error. */
export function speak<const English extends Texts>(
  english: English,
  german: SameTexts<English>,
): SameTexts<English>;
export function speak(english: unknown, german: unknown): unknown {
  return language === "de" ? german : english;
}

/** The label of a value the API may have added after this page was built: then the value itself. */
export function labelOf(labels: Readonly<Record<string, string>>, value: string): string {
  return Object.hasOwn(labels, value) ? (labels[value] ?? value) : value;
}

function chosen(): Language | null {
  const kept = localStorage.getItem(storageKey);
  return LANGUAGES.find((known) => known === kept) ?? null;
}

function preferred(): Language {
  const wanted = navigator.languages.map((tag) => tag.toLowerCase().slice(0, 2));
  return LANGUAGES.find((known) => known === wanted.find((tag) => tag === "de" || tag === "en")) ?? "en";
}
