import { chooseLanguage, LANGUAGES, language, speak } from "../language/language.ts";
import { Icon } from "../parts/icon.tsx";
import { session, signOut } from "../session/session.ts";
import { chooseTheme, THEMES, theme } from "./theme.ts";

const texts = speak(
  {
    settings: "Settings",
    language: "Language",
    languages: { en: "English", de: "Deutsch" },
    theme: "Colours",
    themes: { system: "as the system", light: "light", dark: "dark" },
    signOut: "Sign out",
  },
  {
    settings: "Einstellungen",
    language: "Sprache",
    languages: { en: "English", de: "Deutsch" },
    theme: "Farben",
    themes: { system: "wie das System", light: "hell", dark: "dunkel" },
    signOut: "Abmelden",
  },
);

/** Language, colours and signing out, folded away. */
export function Settings() {
  return (
    <details class="settings" onKeyDown={closeOnEscape}>
      <summary>
        <Icon name="more" />
        <span>{texts.settings}</span>
      </summary>
      <div class="settings-panel">
        <label>
          {texts.language}
          <select onChange={(event) => choose(LANGUAGES, event.currentTarget.value, chooseLanguage)}>
            {LANGUAGES.map((each) => (
              <option key={each} value={each} selected={each === language}>
                {texts.languages[each]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {texts.theme}
          <select onChange={(event) => choose(THEMES, event.currentTarget.value, chooseTheme)}>
            {THEMES.map((each) => (
              <option key={each} value={each} selected={each === theme.value}>
                {texts.themes[each]}
              </option>
            ))}
          </select>
        </label>
        {session.value.state === "signed-in" && (
          <button type="button" onClick={() => signOut(false)}>
            {texts.signOut}
          </button>
        )}
      </div>
    </details>
  );
}

function choose<T extends string>(known: readonly T[], value: string, take: (choice: T) => void): void {
  const choice = known.find((each) => each === value);
  if (choice !== undefined) take(choice);
}

function closeOnEscape(event: KeyboardEvent & { readonly currentTarget: HTMLDetailsElement }): void {
  if (event.key !== "Escape") return;
  event.currentTarget.open = false;
  event.currentTarget.querySelector("summary")?.focus();
}
