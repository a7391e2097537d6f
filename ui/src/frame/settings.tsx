import { chooseLanguage, LANGUAGES, language, speak } from "../language/language.ts";
import { Icon } from "../parts/icon.tsx";
import { identity, loadIdentity } from "../session/identity.ts";
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
    identity: (name: string, role: string) => `${name}: ${role}`,
    roles: { read: "may read", operate: "may read and act", admin: "may do everything" },
  },
  {
    settings: "Einstellungen",
    language: "Sprache",
    languages: { en: "English", de: "Deutsch" },
    theme: "Farben",
    themes: { system: "wie das System", light: "hell", dark: "dunkel" },
    signOut: "Abmelden",
    identity: (name: string, role: string) => `${name}: ${role}`,
    roles: { read: "darf lesen", operate: "darf lesen und handeln", admin: "darf alles" },
  },
);

/** Language, colours and signing out, folded away. */
export function Settings() {
  return (
    <details class="settings" onKeyDown={closeOnEscape} onToggle={() => void loadIdentity()}>
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
        {session.value.state === "signed-in" && identity.value !== null && (
          <p>{texts.identity(identity.value.name, texts.roles[identity.value.role])}</p>
        )}
        {session.value.state === "signed-in" && (
          <button type="button" onClick={() => signOut(null)}>
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
