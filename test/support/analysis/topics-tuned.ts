/** Questions in several wordings each: what the comparison of questions was tuned on. `{x}` is a name, number or thing. */
import type { Topic } from "./topic.ts";

export const TUNED_TOPICS: readonly Topic[] = [
  {
    slots: "firm",
    wordings: [
      "Wie lautet die Lieferadresse von {x}?",
      "Kannst du mir bitte die Lieferadresse der Firma {x} nennen?",
      "Ich brauche kurz die Lieferanschrift von {x}. Hast du die?",
      "Für den Versandschein fehlt mir noch etwas: die Lieferadresse von {x} - welche ist das?",
      "{x}: welche Lieferadresse ist bei uns hinterlegt?",
    ],
    answer: "Lagerstraße 14, 20457 Hamburg.",
  },
  {
    slots: "system",
    wordings: [
      "Wo finde ich die Zugangsdaten für {x}?",
      "An welcher Stelle liegen eigentlich die Zugangsdaten zu {x}?",
      "Weißt du, wo die Zugangsdaten von {x} hinterlegt sind?",
      "Hallo, kurze Rückfrage: ich suche die Zugangsdaten für {x}. Wo stehen die?",
      "Zugangsdaten {x}: in welchem Ordner sind sie?",
    ],
    answer: "In der Datei zugang.md im Ordner betrieb.",
  },
  {
    slots: "firm",
    wordings: [
      "Who is the contact person at {x}?",
      "Can you tell me who our contact at {x} is?",
      "I need the contact for {x}, please. Who would that be?",
      "Do you know whom to contact at {x}?",
      "{x} - who is our contact there?",
    ],
    answer: "Ms Okafor, extension 233.",
  },
  {
    slots: "firm",
    wordings: [
      "What discount does {x} get?",
      "Could you look up the discount we give to {x}?",
      "Which discount applies for {x} at the moment?",
      "Quick question: the discount for {x}, what is it currently?",
      "I am writing an offer... sorry, I only need the discount of {x} for it.",
    ],
    answer: "Seven per cent on everything but spare parts.",
  },
  {
    slots: "thing",
    wordings: [
      "Which template do we use for the {x}?",
      "Where is the template for the {x} stored?",
      "Can you point me to the template of the {x}?",
      "I am looking for the {x} template. Do you have it?",
      "Hi, what template is there for the {x}?",
    ],
    answer: "templates/2026 in the shared folder.",
  },
  {
    slots: "thing",
    wordings: [
      "Ist der {x} schon fertig?",
      "Wie weit ist der {x}? Ist er fertig?",
      "Sag mal, der {x} - ist der inzwischen fertig?",
      "Ich warte noch auf den {x}. Ist er jetzt fertig?",
      "Wurde der {x} schon abgeschlossen?",
    ],
    answer: null,
  },
  {
    slots: "role",
    wordings: [
      "Wer gibt Rechnungen über 5000 Euro frei, wenn {x} im Urlaub ist?",
      "Wenn {x} Urlaub hat: wer gibt dann Rechnungen über 5000 Euro frei?",
      "{x} ist im Urlaub. Wer darf jetzt Rechnungen über 5000 Euro freigeben?",
      "Freigabe von Rechnungen über 5000 Euro während {x} im Urlaub ist - wer macht das?",
    ],
    answer: "Dann gibt Frau Brandt frei.",
  },
  {
    slots: "system",
    wordings: [
      "How long are backups of {x} kept?",
      "For how long do we keep the backups of {x}?",
      "What is the retention of backups for {x}? How long are they kept?",
      "Backups of {x}: how long do we keep them?",
    ],
    answer: "Ninety days, then they are deleted.",
  },
  {
    slots: "thing",
    wordings: [
      "In welcher Sprache soll der {x} geschrieben werden?",
      "Welche Sprache nehmen wir für den {x}?",
      "Der {x}: in welcher Sprache bitte?",
      "Soll ich den {x} in deutscher oder in welcher Sprache schreiben?",
    ],
    answer: "Auf Englisch, die Zusammenfassung zusätzlich auf Deutsch.",
  },
  {
    slots: "firm",
    wordings: [
      "Welches Zahlungsziel hat {x}?",
      "Weißt du das Zahlungsziel von {x}?",
      "Zahlungsziel {x}? Ich finde es nirgends.",
      "Mit welchem Zahlungsziel beliefern wir {x}?",
      "Kannst du nachsehen, welches Zahlungsziel für {x} gilt?",
    ],
    answer: "30 Tage netto.",
  },
];
