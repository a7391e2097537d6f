import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const storageKey = "parley-theme";
const kept = localStorage.getItem(storageKey);

export const theme = signal<Theme>(THEMES.find((known) => known === kept) ?? "system");

export function chooseTheme(choice: Theme): void {
  localStorage.setItem(storageKey, choice);
  theme.value = choice;
}

/** Keeps the page in the chosen colours. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}
