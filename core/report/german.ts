import type { Cause, Finding, FindingCode } from "../analysis/finding.ts";
import type { MessageChannel } from "../record/vocabulary.ts";
import type { FindingWriter, ReportWords } from "./words.ts";

export const german: ReportWords = {
  locale: "de-DE",
  unknown: "unbekannt",
  nothing: (from, to) => `Vom ${from} bis ${to} wurde nichts aufgezeichnet.`,
  title: (from, to, days) =>
    `Was die Agenten vom ${from} bis ${to} getan haben. In Klammern: ${days === 1 ? "der Tag" : `die ${days} Tage`} davor.`,
  delegations: (n) =>
    `Delegationen: ${n("total")}. Ergebnis ${n("result")}, blockiert ${n("blocked")}, zurückgewiesen ${n("rejected")}, abgebrochen ${n("cancelled")}, versandet ${n("silted")}, in Arbeit ${n("open")}, abgelehnt ${n("denied")}, unbekannt ${n("unknown")}.`,
  asks: (n) =>
    `Rückfragen: ${n("asked")}. Beantwortet ${n("answered")}, zu spät ${n("late")}, fehlgeschlagen ${n("failed")}, abgelehnt ${n("denied")}.`,
  answer: (median) => `Zeit bis zur Antwort, Median: ${median}.`,
  cost: (cost) => `Kosten: ${cost}.`,
  unpriced: (unpriced, runs) =>
    `Bei ${unpriced} von ${runs} Läufen ist der Preis unbekannt; sie sind in den Kosten nicht enthalten.`,
  dearest: "Teuerste Vorgänge:",
  dear: ({ cost, runs, agent, chain, atLeast }) =>
    `- ${atLeast ? "mindestens " : ""}${cost}, Läufe: ${runs}, begonnen bei ${agent}: ${chain}`,
  silted: (count) => `Versandet (unabhängig davon, wann sie vergeben wurden): ${count}`,
  siltedTask: ({ task, creator, assignee, hours }) =>
    `- ${task} von ${creator} an ${assignee}: seit ${hours} h nichts`,
  findings: (count) => `Befunde: ${count}`,
  finding: (finding, write) =>
    `- ${REASONS[finding.code](valuesOf(finding, write))} ${CAUSES[finding.cause]}`,
  more: (count) => `- und ${count} weitere`,
  pending: (count) =>
    `Noch nicht in den Zahlen zu Vorgängen und in den Befunden: ${count} Vorgänge und Rückfragen.`,
  link: (address) => `Mehr: ${address}`,
};

interface Values {
  readonly first: string;
  readonly second: string;
  readonly count: string;
  readonly channel: string;
  readonly of: (name: string) => string;
  readonly dollars: (name: string) => string;
}

function valuesOf(finding: Finding, { number, dollars }: FindingWriter): Values {
  const { agents, channel, count, numbers } = finding;
  const written = (name: string, write: (value: number) => string) => {
    const value = numbers[name] ?? null;
    return value === null ? "unbekannt" : write(value);
  };
  return {
    first: agents[0] ?? "jemand",
    second: agents[1] ?? "jemand",
    count: number(count),
    channel: channel === null ? "" : CHANNELS[channel],
    of: (name) => written(name, number),
    dollars: (name) => written(name, dollars),
  };
}

const CHANNELS: Readonly<Record<MessageChannel, string>> = {
  ask: "Rückfrage",
  task: "Auftrag",
  task_comment: "Kommentar",
  task_result: "Ergebnis",
  mail: "E-Mail",
};

const REASONS: Readonly<Record<FindingCode, (values: Values) => string>> = {
  silted_task: ({ first, second, count }) =>
    `An einem Auftrag von ${first} an ${second} ist seit ${count} Stunden nichts geschehen.`,
  repeated_question: ({ first, second, count, of }) =>
    `${first} hat ${second} ${count}-mal dasselbe gefragt, Antworten kamen ${of("answered")}-mal, jedes Mal andere.`,
  answered_before: ({ first, second, count, of }) =>
    `${first} hat ${second} ${count}-mal dasselbe gefragt, ${of("sameAnswers")}-mal kam wieder dieselbe Antwort.`,
  ping_pong: ({ first, second, count }) =>
    `Zwischen ${first} und ${second} ging es ${count}-mal hin und her, ohne dass sie weiterkamen.`,
  dear_chain: ({ first, dollars }) =>
    `Ein Vorgang, der bei ${first} begann, kostete ${dollars("costUsd")}; die Hälfte aller kostete höchstens ${dollars("medianUsd")}.`,
  deep_chain_fails: ({ first, count }) =>
    `Ein Vorgang, der bei ${first} begann, scheiterte in der Tiefe ${count}.`,
  failing_pair: ({ first, second, count, channel, of }) =>
    `Von ${of("total")} Nachrichten (${channel}) von ${first} an ${second} führten ${count} zu nichts.`,
  failing_channel: ({ count, channel, of }) =>
    `Von ${of("total")} Nachrichten der Art ${channel} führten ${count} zu nichts, bei mehreren Paaren.`,
  failing_hour: ({ count, of }) =>
    `Von ${of("total")} Nachrichten ab ${of("hour")} Uhr UTC führten ${count} zu nichts, weit mehr als zu anderen Stunden.`,
  step_limits: ({ first, count, of }) =>
    `Bei ${first} reichten die Schritte in ${count} von ${of("runs")} Läufen nicht.`,
  only_asks: ({ first, count }) =>
    `${first} hat ${count}-mal gefragt; gefragt oder beauftragt wird ${first} nie.`,
  never_answers: ({ first, count }) => `${first} wurde ${count}-mal gefragt und hat nie geantwortet.`,
};

const CAUSES: Readonly<Record<Cause, string>> = {
  unclear_responsibility:
    "Wohl unklare Zuständigkeit: in die Prompts gehört, wer entscheidet und wer abschließt.",
  missing_knowledge: "Wohl eine fehlende Datei oder ein fehlender Skill: die Antwort dort ablegen.",
  failing_colleague: "Wohl ein Kollege, der scheitert: seine Läufe, sein Modell und seine Tools ansehen.",
  small_budget: "Wohl zu wenige Schritte oder zu wenig Zeit: Grenzen erhöhen oder kleinere Stücke geben.",
  not_allowed: "Wohl nicht erlaubt: Kollegen in der Config und Grenzen des Vorgangs ansehen.",
  overload: "Wohl zu viel auf einmal, oder ein Dienst ist dann nicht da: Zeitpläne auseinanderziehen.",
};
