import { FRESH_SLOTS } from "./slots-fresh.ts";

/** A question that can be asked in several ways of the same thing. */
export interface Topic {
  readonly slots: keyof typeof SLOTS;
  readonly wordings: readonly string[];
  /** What is answered each time; null: something else every time. */
  readonly answer: string | null;
}

/** What fills a wording's place. Those of one kind look alike and are never the same. */
export const SLOTS = {
  ...FRESH_SLOTS,
  firm: [
    "Nordwind",
    "Kessler & Söhne",
    "Bergmann",
    "Bergman",
    "Hansa Logistik",
    "Hansa Technik",
    "Müller Holz",
    "Möller Holz",
    "Contour",
    "Contura",
    "Weber Stahl",
    "Weber Bau",
    "Lindqvist",
    "Okonkwo Ltd",
    "Delta Foods",
    "Delta Parts",
    "Rossi",
    "Russo",
  ],
  system: [
    "Testserver",
    "Mailserver",
    "ERP-Nord",
    "ERP-Süd",
    "Archiv-2",
    "Archiv-3",
    "Webshop",
    "Kassensystem",
    "Jira",
    "Wiki",
    "CRM",
    "Zeiterfassung",
  ],
  thing: [
    "Quartalsbericht",
    "Jahresbericht",
    "Messebericht",
    "Lagebericht",
    "Prüfbericht",
    "Reisebericht",
    "Newsletter",
    "Projektplan",
    "Schichtplan",
    "Katalog",
    "Wartungsvertrag",
    "Mietvertrag",
  ],
  role: [
    "Frau Seidel",
    "Herr Seidler",
    "Frau Amrani",
    "Herr Voss",
    "Frau Voss",
    "Dr. Lang",
    "Herr Lange",
    "Ms Reed",
  ],
} as const;
