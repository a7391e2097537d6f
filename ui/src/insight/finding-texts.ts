/** Findings in words, from their literal codes and numbers. `{0}` and `{1}` stand for the agents concerned. */
import type { Finding } from "../api/types.ts";
import { formatCount } from "../language/format.ts";
import { labelOf, speak } from "../language/language.ts";
import { words } from "../language/words.ts";
import { formatUsd } from "./format.ts";

const texts = speak(
  {
    unknown: "unknown",
    titles: {
      silted_task: "Silted up",
      repeated_question: "Asked again and again",
      answered_before: "Answered before",
      ping_pong: "Back and forth",
      dear_chain: "Unusually dear",
      deep_chain_fails: "Fails in the depth",
      failing_pair: "Fails between two agents",
      failing_channel: "Fails on a channel",
      failing_hour: "Fails at a certain hour",
      step_limits: "Runs out of steps",
      only_asks: "Only ever asks",
      never_answers: "Never answers",
    },
    hours: (count: number) => {
      if (count >= 48) return `${Math.floor(count / 24)} days`;
      return count === 1 ? "an hour" : `${count} hours`;
    },
    silted_task: (time: string) =>
      `The task that {0} gave to {1} is not finished, and nothing has happened for ${time}.`,
    atLeast: (count: string) => `at least ${count}`,
    repeated_question: {
      none: (count: string) => `{0} has asked {1} the same thing ${count} times; none was answered.`,
      one: (count: string) => `{0} has asked {1} the same thing ${count} times; one was answered.`,
      differently: (count: string, answered: string) =>
        `{0} has asked {1} the same thing ${count} times; ${answered} were answered, each in another way than the one before.`,
      mostly: (count: string, answered: string, same: string) =>
        `{0} has asked {1} the same thing ${count} times; ${answered} were answered, ${same} of them like the one before, the others in another way.`,
    },
    answered_before: (count: string, same: string) =>
      `{0} has asked {1} the same thing ${count} times and got the same answer again ${same} times: the first one would have done.`,
    ping_pong: (count: string) =>
      `{0} and {1} turned to each other ${count} times by turns without getting on.`,
    dear_chain: (cost: string, median: string, p95: string) =>
      `A chain that {0} was instructed with cost ${cost}; half of all cost at most ${median}, 95 % at most ${p95}.`,
    deep_chain_fails: (depth: string) =>
      `A chain that began at {0} was handed on to depth ${depth} and failed there.`,
    failing_pair: (count: string, total: string, channel: string) =>
      `${count} of ${total} messages that {0} sent to {1} (${channel}) came to nothing.`,
    failing_channel: (count: string, total: string, channel: string) =>
      `${count} of ${total} messages of the kind ${channel} came to nothing, with several pairs.`,
    failing_hour: (count: string, total: string, hour: string) =>
      `Between ${hour}:00 and ${hour}:59 UTC ${count} of ${total} messages came to nothing, far more than at other hours.`,
    step_limits: (count: string, runs: string) => `{0} ran out of steps in ${count} of ${runs} runs.`,
    only_asks: (count: string) =>
      `{0} has asked ${count} times; nobody asks it or gives it anything, and no result came from it.`,
    never_answers: (count: string) => `{0} was asked ${count} times and has not answered once.`,
    causes: {
      unclear_responsibility:
        "Unclear responsibility. Write into the prompts who decides, who finishes, and who tells whom when it is done.",
      missing_knowledge: "A missing file or skill. Put the answer where the asking agent can read it.",
      failing_colleague: "The colleague fails. Look at its runs, its model and its tools.",
      small_budget: "Too few steps or too little time. Raise the limits, or hand out smaller tasks.",
      not_allowed: "It is not allowed. Look at the colleagues in the config, and at the chain's limits.",
      overload: "Too much at once, or a service that is away at that time. Spread schedules out.",
    },
    numbers: {
      answered: "answered",
      sameAnswers: "same answers",
      chains: "chains",
      costUsd: "cost",
      medianUsd: "median",
      p95Usd: "95th percentile",
      runs: "runs",
      unpricedRuns: "runs without a price",
      failedRuns: "failed runs",
      total: "messages",
      failed: "failed",
      timeout: "timed out",
      denied: "denied",
      attempts: "attempts",
    },
  },
  {
    unknown: "unbekannt",
    titles: {
      silted_task: "Versandet",
      repeated_question: "Immer wieder gefragt",
      answered_before: "Schon beantwortet",
      ping_pong: "Hin und her",
      dear_chain: "Ungewöhnlich teuer",
      deep_chain_fails: "Scheitert in der Tiefe",
      failing_pair: "Scheitert zwischen zwei Agenten",
      failing_channel: "Scheitert auf einem Kanal",
      failing_hour: "Scheitert zu einer bestimmten Stunde",
      step_limits: "Schritte reichen nicht",
      only_asks: "Fragt nur",
      never_answers: "Antwortet nie",
    },
    hours: (count: number) => {
      if (count >= 48) return `${Math.floor(count / 24)} Tagen`;
      return count === 1 ? "einer Stunde" : `${count} Stunden`;
    },
    silted_task: (time: string) =>
      `Der Auftrag, den {0} an {1} gegeben hat, ist nicht fertig, und seit ${time} ist nichts mehr geschehen.`,
    atLeast: (count: string) => `mindestens ${count}`,
    repeated_question: {
      none: (count: string) => `{0} hat {1} ${count}-mal dasselbe gefragt; eine Antwort kam nie.`,
      one: (count: string) => `{0} hat {1} ${count}-mal dasselbe gefragt; nur einmal kam eine Antwort.`,
      differently: (count: string, answered: string) =>
        `{0} hat {1} ${count}-mal dasselbe gefragt; ${answered}-mal kam eine Antwort, jedes Mal eine andere als zuvor.`,
      mostly: (count: string, answered: string, same: string) =>
        `{0} hat {1} ${count}-mal dasselbe gefragt; ${answered}-mal kam eine Antwort, davon ${same}-mal dieselbe wie zuvor, sonst eine andere.`,
    },
    answered_before: (count: string, same: string) =>
      `{0} hat {1} ${count}-mal dasselbe gefragt und ${same}-mal wieder dieselbe Antwort bekommen: Die erste hätte gereicht.`,
    ping_pong: (count: string) =>
      `{0} und {1} haben sich ${count}-mal im Wechsel aneinander gewandt, ohne weiterzukommen.`,
    dear_chain: (cost: string, median: string, p95: string) =>
      `Ein Vorgang, zu dem {0} angewiesen wurde, kostete ${cost}; die Hälfte aller kostete höchstens ${median}, 95 % höchstens ${p95}.`,
    deep_chain_fails: (depth: string) =>
      `Ein Vorgang, der bei {0} begann, wurde bis in die Tiefe ${depth} weitergereicht und scheiterte dort.`,
    failing_pair: (count: string, total: string, channel: string) =>
      `Aus ${count} von ${total} Nachrichten (${channel}) von {0} an {1} wurde nichts.`,
    failing_channel: (count: string, total: string, channel: string) =>
      `Aus ${count} von ${total} Nachrichten der Art ${channel} wurde nichts, bei mehreren Paaren.`,
    failing_hour: (count: string, total: string, hour: string) =>
      `Zwischen ${hour}:00 und ${hour}:59 Uhr UTC wurde aus ${count} von ${total} Nachrichten nichts, weit öfter als zu anderen Stunden.`,
    step_limits: (count: string, runs: string) =>
      `{0} hatte in ${count} von ${runs} Läufen zu wenige Schritte.`,
    only_asks: (count: string) =>
      `{0} hat ${count}-mal gefragt; niemand fragt oder beauftragt {0}, und ein Ergebnis kam nie zurück.`,
    never_answers: (count: string) => `{0} wurde ${count}-mal gefragt und hat nicht ein Mal geantwortet.`,
    causes: {
      unclear_responsibility:
        "Unklare Zuständigkeit. Schreibe in die Prompts, wer entscheidet, wer abschließt und wer wem sagt, dass es fertig ist.",
      missing_knowledge:
        "Eine Datei oder ein Skill fehlt. Lege die Antwort dorthin, wo der fragende Agent sie lesen kann.",
      failing_colleague: "Der Kollege scheitert. Sieh dir seine Läufe, sein Modell und seine Tools an.",
      small_budget:
        "Zu wenige Schritte oder zu wenig Zeit. Erhöhe die Grenzen oder vergib kleinere Aufträge.",
      not_allowed:
        "Es ist nicht erlaubt. Sieh dir die Kollegen in der Config und die Grenzen des Vorgangs an.",
      overload: "Zu viel auf einmal, oder ein Dienst ist zu der Zeit nicht da. Entzerre die Zeitpläne.",
    },
    numbers: {
      answered: "beantwortet",
      sameAnswers: "gleiche Antworten",
      chains: "Vorgänge",
      costUsd: "Kosten",
      medianUsd: "Median",
      p95Usd: "95. Perzentil",
      runs: "Läufe",
      unpricedRuns: "Läufe ohne Preis",
      failedRuns: "fehlgeschlagene Läufe",
      total: "Nachrichten",
      failed: "fehlgeschlagen",
      timeout: "Zeit überschritten",
      denied: "abgelehnt",
      attempts: "Versuche",
    },
  },
);

export const findingTitle = (code: string): string => labelOf(texts.titles, code);

/** Why it is shown. What a later API may find is told in its own words. */
export function findingSentence(finding: Finding): string {
  const { code, channel, numbers } = finding;
  const count = formatCount(finding.count);
  const number = (name: string) => numberText(name, numbers[name] ?? null);
  const kind = channel === null ? "" : labelOf(words.channels, channel);
  switch (code) {
    case "silted_task":
      return texts.silted_task(texts.hours(finding.count));
    case "repeated_question":
      return repeatedQuestion(times(finding), numbers);
    case "answered_before":
      return texts.answered_before(times(finding), number("sameAnswers"));
    case "dear_chain":
      return texts.dear_chain(number("costUsd"), number("medianUsd"), number("p95Usd"));
    case "failing_pair":
    case "failing_channel":
      return texts[code](count, number("total"), kind);
    case "failing_hour":
      return texts.failing_hour(count, number("total"), number("hour").padStart(2, "0"));
    case "step_limits":
      return texts.step_limits(count, number("runs"));
    case "ping_pong":
    case "deep_chain_fails":
    case "only_asks":
    case "never_answers":
      return texts[code](count);
    default:
      return finding.text;
  }
}

const times = ({ count, numbers }: Finding) =>
  numbers.atLeast === 1 ? texts.atLeast(formatCount(count)) : formatCount(count);

function repeatedQuestion(
  count: string,
  { answered = null, sameAnswers = null }: Finding["numbers"],
): string {
  const said = texts.repeated_question;
  if (answered === 0) return said.none(count);
  if (answered === 1) return said.one(count);
  const answers = numberText("answered", answered);
  return (sameAnswers ?? 0) === 0
    ? said.differently(count, answers)
    : said.mostly(count, answers, numberText("sameAnswers", sameAnswers));
}

export const findingCause = (finding: Finding): string =>
  Object.hasOwn(texts.causes, finding.cause) ? texts.causes[finding.cause] : finding.causeText;

/** The figures behind it that have a name, as label and amount. */
export function findingNumbers({ numbers }: Finding): readonly (readonly [label: string, amount: string])[] {
  const labels: Readonly<Record<string, string>> = texts.numbers;
  return Object.entries(numbers).flatMap(([name, value]) => {
    const label = Object.hasOwn(labels, name) ? labels[name] : undefined;
    return label === undefined ? [] : [[label, numberText(name, value)] as const];
  });
}

function numberText(name: string, value: number | null): string {
  if (name.endsWith("Usd")) return formatUsd(value);
  return value === null ? texts.unknown : formatCount(value);
}
