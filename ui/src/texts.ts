/** Everything the page says, in the two languages it speaks. */
const english = {
  newest: "Newest messages",
  signInTitle: "Sign in",
  signInHint: "Enter the instance's token (API_TOKEN), or open the link that npm start printed.",
  token: "Token",
  signIn: "Sign in",
  signOut: "Sign out",
  signedOut: "Signed out",
  refused: "The token was refused. Check it against API_TOKEN and try again.",
  loading: "Loading ...",
  live: "Signed in, live",
  polling: "Signed in, refreshed every 5 seconds",
  offline: "The instance does not answer. Is npm start still running? Trying again every 5 seconds.",
  failed: "The instance answered with an error. Its log says why. Trying again every 5 seconds.",
  empty:
    "No messages yet. They appear here as soon as agents talk to each other, for example with npm run demo.",
  to: "to",
  cut: "The text is longer; it is shown shortened here.",
  channels: { ask: "Ask", task: "Task", task_comment: "Comment", task_result: "Result", mail: "Mail" },
  directions: { request: "Request", response: "Response" },
  statuses: { delivered: "delivered", denied: "denied", failed: "failed", timeout: "timed out" },
};

type Texts = typeof english;

const german: Texts = {
  newest: "Neueste Nachrichten",
  signInTitle: "Anmelden",
  signInHint: "Gib das Token der Instanz (API_TOKEN) ein oder öffne den Link, den npm start ausgegeben hat.",
  token: "Token",
  signIn: "Anmelden",
  signOut: "Abmelden",
  signedOut: "Abgemeldet",
  refused: "Das Token wurde abgelehnt. Vergleiche es mit API_TOKEN und versuche es noch einmal.",
  loading: "Wird geladen ...",
  live: "Angemeldet, live",
  polling: "Angemeldet, alle 5 Sekunden aktualisiert",
  offline: "Die Instanz antwortet nicht. Läuft npm start noch? Neuer Versuch alle 5 Sekunden.",
  failed:
    "Die Instanz hat mit einem Fehler geantwortet. Der Grund steht in ihrem Log. Neuer Versuch alle 5 Sekunden.",
  empty:
    "Noch keine Nachrichten. Sie erscheinen hier, sobald Agenten miteinander sprechen, zum Beispiel mit npm run demo.",
  to: "an",
  cut: "Der Text ist länger; er wird hier gekürzt gezeigt.",
  channels: {
    ask: "Rückfrage",
    task: "Auftrag",
    task_comment: "Kommentar",
    task_result: "Ergebnis",
    mail: "E-Mail",
  },
  directions: { request: "Anfrage", response: "Antwort" },
  statuses: {
    delivered: "zugestellt",
    denied: "abgelehnt",
    failed: "fehlgeschlagen",
    timeout: "Zeit überschritten",
  },
};

/** The browser's language decides; everything but German gets English. */
export const language = navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
export const texts: Texts = language === "de" ? german : english;

/** The label of a value the API may have added after this page was built: then the value itself. */
export function labelOf(labels: Readonly<Record<string, string>>, value: string): string {
  return Object.hasOwn(labels, value) ? (labels[value] ?? value) : value;
}
