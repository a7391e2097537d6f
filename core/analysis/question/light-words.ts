/**
 * Words that carry a question but not its subject, in German and English, folded as `foldText` and `foldUmlaut`
 * leave them. They never make two questions different.
 */
import { foldUmlaut } from "./fold.ts";

const GERMAN = `
a ab aber ach aktuell aktuelle aktuellen aktueller aktuelles alle allen aller alles als also am an ander
andere anderen anders angeben angibst anhand ansonsten auch auf aus auskunft ausserdem bald beantworten
befinde befinden befindet beim bei beide beiden benotige benotigen benotigst benotigt bereits bescheid besitze
besitzen bestehen besteht bestimmt bin bisher bislang bis bist bitte brauche brauchen brauchst braucht bzw da
dabei dafur dagegen daher damals damit danach dank danke dann daran darauf daraus darf darfst darin daruber
darum das dass davon dazu dein deine deinem deinen deiner dem den denen denn der deren derer derzeit des
deshalb dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch durfen durfte eben
eigentlich ein eine einem einen einer eines einfach einmal einordnen eintragen eins entnehme entnehmen er
erfahre erfahren erst es etwa etwas euch euer eure eurem euren eurer eventuell fall falls finde finden findest
findet frage fragen fur gab ganz gar gebe geben gebt gebraucht geht gehen gehe gehort gehoren gehore genau
genaue genauen genauer gerade gern gerne gib gibst gibt gilt gelten gibts grad habe haben habt hast hat hatte
hatten hattest her heraus hier hierfur hierzu hin hinterlegt hinterlegen ich ihm ihn ihnen ihr ihre ihrem
ihren ihrer im immer in info infos information informationen ins insgesamt irgend irgendwo ist ja je jede
jeden jeder jedes jemand jemanden jetzt kannst kann kein konnen konnt konnte konntest kurz kurze kurzen kurzer
lass lasse lassen lauten lautet laut lege legen legst liege liegen liegst liegt los mach mache machen machst
macht mal man mehr mein meine meinem meinen meiner melde melden mich mir mit mitteilen mitteilst mochte
mochten mogen mag moglich muss mussen musste mussten musst nachsehen nachschauen nachfragen namlich nanntest
nenne nennen nennst nennt neulich noch nochmal nochmals nun nur ob oben oder ort per pro rausfinden ruckfrage
sag sage sagen sagst sagt schau schauen schaust schick schicke schicken schickst schon schnell schnelle sehe
sehen sein seine seinem seinen seiner seit sich sicher sie siehst sieht sind so sofern sogar soll sollen
sollst sollte sollten sollt sonst sowie stand stehe stehen stehst steht stelle stellen such suche suchen sucht
tatsachlich teile teilen teil tun uber uberhaupt uberall um und ungefahr uns unser unsere unserem unseren
unserer unter verrate verraten verratst verwende verwenden verwendet vielleicht vom von vorab vorhanden
wahrscheinlich war waren ware was weiss weisst weiter weitere welche welchem welchen welcher welches wem wen
wenn wer werde werden wessen wie wieder wieviel will willst wir wird wirst wissen wo wofur woher wohin wollen
wollte wollten womit woran worauf wovon wozu wurde wurden wurdest zeig zeige zeigen zu zum zur zusatzlich
zustandig zustandige zustandigen zwecks zwischen hallo hi hey moin guten morgen tag servus liebe lieber gruss
gruse vielen herzlich sorry entschuldigung mfg schreibe schreib schreiben geschrieben hilf helfen hilfst
geholfen beziehungsweise bekomme bekommen bekommst erhalte erhalten erreiche erreichen erreicht erreichbar
komme kommen kommt komm heisst heissen name namens bezeichnung lage hort nutze nutzen nutzt gultig gultige
gultigen derzeitige derzeitigen momentan moment augenblicklich zurzeit heute jeweils jeweilige jeweiligen
vorliegt vorliegen genannt sonstige zugehorige benutze benutzen benutzt betragt betragen bringe bringen bringt
einsetzen einsetzt eingesetzt enthalt enthalten ergibt erlaubt erlauben fuhre fuhren fuhrt gefuhrt halte
halten halt laufe laufen lauft setze setzen setzt gesetzt trage tragen tragt verlangt verlangen vorgegeben
vorgesehen wahlen wahlt gewahlt ziehe ziehen zieht hand griff falle art arten normalerweise ublicherweise
gewohnlich grundsatzlich generell fest feste festen ende schluss arbeite arbeiten arbeitet gebrauchlich
erforderlich notig notige notwendig verfugbar firma fehlt fehlen fehlte nirgends nirgendwo inzwischen
mittlerweile nehme nehmen nimmst nimmt nimm wahrend person personen ordner verzeichnis pfad ablage speicherort
frist termin wann abgabetermin stichtag falligkeit fallig ansprechpartner ansprechpartnerin verantwortlich
verantwortliche verantwortlicher gerat warte warten wartet sofort dringend schade leider versuche versuchen
glaube glauben denke denken meinst bezuglich hinsichtlich betreffend`;

const ENGLISH = `
able about actually again all already and any anybody anyone anything anyway are as ask asking at available be
because been being briefly but by can check come comes could current currently did do does doing done each
either else ever exactly exact find finding first for from get getting give given gives go going got had has
have having hear hello help hold how i if inform into is it its just keep keeps kept kindly know known knows
last let lets like live lives located look looking looks lot make many may me mean mention might mind more
most much must my named need needed needs next no now of off ok okay on once one only or other our ours out
over own please point pointer possible pls put question quick quickly quite really remind right said same say
see seem send share shall she he should show sit sits some somebody someone something stands state still
stored stores sure take tell telling than thank thanks that the their them then there these they thing things
this those though to together too try under up upon us use used uses using valid want wants we well were what
whats which while whom whose who wish with within would write yet you your yours apply applies lie lies lookup
morning afternoon evening dear friend supposed responsible whatever wherever whenever handle handles handling
belong belongs reach reachable called set today regarding concerning respect allow allowed allows permit
permitted bring brings choose chosen consider consists contain contains exist exists expect expected expects
follow follows happen happens include included includes kind prefer preferred provide provided provides refer
refers require required requires specify specified way ways hands main usual usually normally general
generally end work works working where when why folder directory path location place deadline due missing lack
lacking nowhere meanwhile wait waiting urgently unfortunately wonder wondering ahead guess think believe`;

/** Those that are light with a capital too; any other one with a capital within a sentence is a name or a thing. */
const NOUNS = `
ort frage fragen auskunft info infos information informationen bescheid fall falle stelle hand griff art arten
ende schluss ordner verzeichnis pfad ablage speicherort frist termin abgabetermin stichtag falligkeit
ansprechpartner ansprechpartnerin verantwortliche verantwortlicher name namen namens bezeichnung lage stand
firma person personen ruckfrage gruss gruse dank danke morgen tag moment hallo hi hey moin ok okay pro mfg
sorry hello dear`;

const words = (text: string) =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(foldUmlaut);

export const LIGHT_WORDS: ReadonlySet<string> = new Set([...words(GERMAN), ...words(ENGLISH)]);
export const LIGHT_NOUNS: ReadonlySet<string> = new Set(words(NOUNS));
