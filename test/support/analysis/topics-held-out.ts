/** Questions in several wordings each that the comparison of questions was not tuned on. */
import type { Topic } from "./topic.ts";

export const HELD_OUT_TOPICS: readonly Topic[] = [
  {
    slots: "firm",
    wordings: [
      "Welche Steuernummer hat {x}?",
      "Ich bräuchte bitte die Steuernummer von {x}.",
      "Hast du die Steuernummer von {x} zur Hand?",
      "Die Steuernummer von {x} fehlt mir noch, wie lautet sie?",
      "Kannst du mir sagen, unter welcher Steuernummer {x} geführt wird?",
      "{x}, Steuernummer? Danke dir!",
    ],
    answer: "DE 812 334 901.",
  },
  {
    slots: "system",
    wordings: [
      "Who may restart {x}?",
      "Who is allowed to restart {x}?",
      "{x} hangs again. Who may restart it?",
      "If {x} needs a restart, who can do that?",
      "Can you tell me who is in charge of restarting {x}?",
    ],
    answer: "Only the operations team, by ticket.",
  },
  {
    slots: "thing",
    wordings: [
      "Bis wann brauchst du den {x}?",
      "Wann ist der {x} fällig?",
      "Was ist der Abgabetermin für den {x}?",
      "Der {x}: bis wann muss der da sein?",
      "Gibt es eine Frist für den {x}?",
    ],
    answer: "Am Monatsletzten, zwölf Uhr.",
  },
  {
    slots: "firm",
    wordings: [
      "What minimum quantity does {x} ask for?",
      "Is there a minimum quantity with {x}?",
      "Could you check the minimum quantity {x} wants?",
      "{x} has a minimum quantity, which one is it?",
      "What is the minimum quantity we have to take from {x}?",
    ],
    answer: "Two pallets.",
  },
  {
    slots: "role",
    wordings: [
      "Wie erreiche ich {x} am Wochenende?",
      "Am Wochenende: wie ist {x} zu erreichen?",
      "Ist {x} am Wochenende erreichbar, und wie?",
      "Unter welcher Nummer bekomme ich {x} am Wochenende?",
    ],
    answer: "Über die Bereitschaft.",
  },
  {
    slots: "system",
    wordings: [
      "Which time zone does {x} use?",
      "What time zone is {x} set to?",
      "I see odd hours in {x}. Which time zone is it in?",
      "Time zone of {x}, please?",
      "Do you know the time zone used by {x}?",
    ],
    answer: "UTC everywhere.",
  },
  {
    slots: "thing",
    wordings: [
      "Welche Schriftart verwenden wir im {x}?",
      "Mit welcher Schriftart soll der {x} gesetzt werden?",
      "Für den {x}: welche Schriftart bitte?",
      "Weißt du, welche Schriftart in den {x} gehört?",
      "Ich gestalte gerade den {x} und suche die Schriftart.",
    ],
    answer: "Source Sans, 10 Punkt.",
  },
  {
    slots: "firm",
    wordings: [
      "Which carrier delivers to {x}?",
      "Who is the carrier for {x}?",
      "By which carrier do we ship to {x}?",
      "For {x}, what carrier do we use?",
      "Do we have a fixed carrier for {x}? Which one?",
    ],
    answer: "Nordfracht, on Tuesdays.",
  },
  {
    slots: "system",
    wordings: [
      "Wie groß darf ein Anhang in {x} sein?",
      "Welche Größe darf ein Anhang in {x} höchstens haben?",
      "Anhänge in {x}: wie groß dürfen die sein?",
      "Gibt es für Anhänge in {x} eine Grenze bei der Größe?",
    ],
    answer: "20 Megabyte.",
  },
  {
    slots: "thing",
    wordings: [
      "Who signs the {x}?",
      "Who has to sign the {x} in the end?",
      "Can you find out who signs the {x}?",
      "The {x} is done, who will sign it?",
    ],
    answer: "The managing director.",
  },
];
