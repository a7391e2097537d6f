/** Words of office life that stand for one another, across German and English. One line each; the first names them. */
import { foldText } from "../../record/search-terms.ts";
import { foldUmlaut } from "./fold.ts";
import { stem } from "./stem.ts";

const SETS = `
password passwort kennwort passphrase
address adresse anschrift
price preis preise kosten cost costs kostet kosten koste
supplier lieferant lieferanten lieferantin vendor
invoice rechnung rechnungen bill
file datei dateien
document dokument dokumente unterlage unterlagen
report bericht berichte reporting
phone telefon telefonnummer rufnummer phonenumber
email mailadresse emailadresse
meeting besprechung sitzung
customer kunde kunden kundin client
order bestellung bestellungen auftrag
ship versand versenden versandt verschickt shipment shipped shipping
pay bezahlt bezahlen paid payment zahlung gezahlt
approve freigabe freigegeben freigeben freigibt frei approved approval genehmigt genehmigung
template vorlage vorlagen
contract vertrag vertrage
offer angebot angebote quote
budget etat
login zugangsdaten anmeldedaten credentials logindaten
version fassung
contact kontakt kontaktperson
opening offnungszeiten
account konto kontonummer
discount rabatt nachlass
holiday urlaub vacation
stock lagerbestand bestand inventory
warehouse lager
delivery lieferung zustellung
tax steuer steuersatz
herr herrn mr mister
frau fr mrs ms
ready fertig abgeschlossen finished complete completed
`;

const CANONICAL: ReadonlyMap<string, string> = new Map(
  SETS.trim()
    .split("\n")
    .flatMap((line) => {
      const [first = "", ...others] = line
        .trim()
        .split(/\s+/)
        .map((word) => stem(foldUmlaut(foldText(word))));
      return [first, ...others].map((word) => [word, first] as const);
    }),
);

const MIN_HEAD = 5;
const MIN_REST = 3;

/** The stem that stands for all that mean the same; of a compound its parts, where the last one is known. */
export function canonical(word: string): string[] {
  const known = CANONICAL.get(word);
  if (known !== undefined) return [known];
  const head = HEADS.find((each) => word.endsWith(each) && word.length - each.length >= MIN_REST);
  if (head === undefined) return [word];
  const rest = stem(word.slice(0, -head.length).replace(/(?<=...)[ns]$/, ""));
  return [CANONICAL.get(rest) ?? rest, CANONICAL.get(head) ?? head];
}

/** Longest first. */
const HEADS = [...CANONICAL.keys()]
  .filter((each) => each.length >= MIN_HEAD)
  .sort((a, b) => b.length - a.length);
