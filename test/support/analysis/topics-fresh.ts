/** Questions of a clinic, a workshop and a venue. Nothing in the code was changed to meet them: the figures they give are told as they are. */
import type { Topic } from "./topic.ts";

export const FRESH_TOPICS: readonly Topic[] = [
  {
    slots: "patient",
    wordings: [
      "Welche Blutgruppe hat {x}?",
      "Sag mir bitte die Blutgruppe von {x}.",
      "Ich bereite die Transfusion vor und habe die Blutgruppe von {x} nicht. Welche ist es?",
      "Ist irgendwo vermerkt, welche Blutgruppe {x} hat?",
      "Blutgruppe {x}?",
    ],
    answer: "A positiv.",
  },
  {
    slots: "machine",
    wordings: [
      "Welches Öl kommt in die {x}?",
      "Mit welchem Öl wird die {x} geschmiert?",
      "Ich stehe gerade vor der {x}. Welches Öl nehme ich da?",
      "{x}: welches Öl füllen wir ein?",
      "Kannst du mir sagen, was für ein Öl die {x} bekommt?",
    ],
    answer: "HLP 46 aus dem blauen Fass.",
  },
  {
    slots: "venue",
    wordings: [
      "How many chairs fit into {x}?",
      "What is the number of chairs that {x} can hold?",
      "Roughly how many chairs can we place in {x}?",
      "I am drawing the seating plan: how many chairs go into {x}?",
      "Chairs in {x} - how many at most?",
    ],
    answer: "120 in rows, 80 at tables.",
  },
  {
    slots: "person",
    wordings: [
      "Which shift is {x} on tomorrow?",
      "Tomorrow, which shift does {x} have?",
      "Could somebody tell me {x}'s shift for tomorrow?",
      "What shift did we put {x} on for tomorrow?",
      "Do you happen to know which shift {x} works tomorrow?",
    ],
    answer: null,
  },
  {
    slots: "document",
    wordings: [
      "Wer hat {x} zuletzt geändert?",
      "Von wem stammt die letzte Änderung an {x}?",
      "Wer hat an {x} zuletzt etwas geändert?",
      "Mir fehlt der Name: wer hat {x} zuletzt geändert?",
      "{x} wurde geändert. Wer war das zuletzt?",
    ],
    answer: "Das war die Verwaltung am Montag.",
  },
  {
    slots: "machine",
    wordings: [
      "When was {x} last inspected?",
      "Can you tell me the date of the last inspection of {x}?",
      "The auditor is asking: when was {x} last inspected?",
      "{x}: when did the last inspection take place?",
      "When did we last inspect {x}?",
    ],
    answer: "In March, by the technical service.",
  },
  {
    slots: "venue",
    wordings: [
      "Gibt es in {x} einen Beamer?",
      "Hat {x} einen Beamer?",
      "Steht in {x} ein Beamer?",
      "Der Referent fragt nach einem Beamer. Ist in {x} einer?",
      "Wissen wir, ob in {x} ein Beamer hängt?",
    ],
    answer: "Ja, an der Decke.",
  },
  {
    slots: "document",
    wordings: [
      "Where can I print {x}?",
      "On which printer does {x} get printed?",
      "Which printer should I use for {x}?",
      "I have to print {x}, where do I do that?",
    ],
    answer: "On the ground floor.",
  },
  {
    slots: "person",
    wordings: [
      "Wann hat {x} Geburtstag?",
      "An welchem Tag ist der Geburtstag von {x}?",
      "Weißt du zufällig, wann {x} Geburtstag hat?",
      "Geburtstag {x}: wann war der noch gleich?",
    ],
    answer: "Am 4. August.",
  },
  {
    slots: "patient",
    wordings: [
      "Does {x} have any allergies?",
      "Which allergies does {x} have?",
      "Are there allergies on file for {x}?",
      "Allergies of {x}, please: are there any?",
    ],
    answer: "Penicillin.",
  },
];
