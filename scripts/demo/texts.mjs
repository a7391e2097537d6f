/** All that the demo says itself, in both languages. The words for statuses follow the viewer's. */
const en = {
  you: "You",
  scripted: "scripted",
  allScripted:
    "The team is scripted: its agents play the scenarios in demo/scenarios; no real model and no network " +
    "take part. With OPENAI_API_KEY set it thinks for itself.",
  someScripted: (names) => `Scripted, so no real model: ${names}.`,
  onModels: (names) => `On a real model: ${names}.`,
  watch: (link) => `Watch it in the viewer too: ${link}`,
  happens: "What happens",
  asks: (from, to) => `${from} asks ${to}: `,
  answers: (from, to) => `${from} answers ${to}: `,
  tells: (from, to, channel) => `${from} to ${to} (${channel}): `,
  calls: (agent, tool) => `${agent} calls ${tool}: `,
  returns: (tool, agent) => `${tool} returns to ${agent}: `,
  characters: (count) => `${count} characters`,
  again: (agent) => `${agent} begins this answer again after a failed attempt.`,
  notice: "Notice for a person: ",
  lostStream: "The chat's stream broke off; the run goes on and is waited for.",
  outcome: { denied: "REFUSED", timeout: "TIMED OUT", failed: "FAILED", interrupted: "INTERRUPTED" },
  ended: (agent, status, duration) => `${agent} has finished: ${status} after ${duration}.`,
  chain: "The chain",
  columns: ["agent", "trigger", "model", "status", "duration", "cost"],
  triggers: {},
  statuses: {},
  running: "running",
  totals: ({ runs, depth, duration, input, output, cost }) =>
    `${runs} runs, depth ${depth}, ${duration}, ${input} tokens in, ${output} out. Cost: ${cost}.`,
  tookPart: (count, names) => `${count} agents took part: ${names}.`,
  unknown: "unknown",
  atLeast: (cost, runs) => `at least ${cost} (${runs} with an unknown price)`,
  messages: (count, kinds) => `${count} messages on record: ${kinds}.`,
  incomplete: (count) => `${count} rows are still on their way into the record.`,
  nothing: "Nothing.",
  trouble: "Refused, timed out, failed",
  file: "The file that was written",
  fileAt: (agent, path, size) => `${path}, ${size} characters, written by ${agent} with FileRW:`,
  fileKept: (key) => `It lies in the R2 bucket parley-files as ${key}. To read it from there:`,
  look: "Where to look",
  viewer: "Viewer:",
  api: "API, with the header Authorization: Bearer and the token in the viewer's link:",
  stopped: (command) =>
    `The instance is stopped, and everything is kept. To look around, start it again (its ready line is the new link): ${command}`,
  orKeep: "Or let the demo keep it running: npm run demo -- --keep",
  keeps: "The instance keeps running. Ctrl-C ends it.",
  notReached: (why) => `The demo did not reach its end: ${why}`,
  noFile: "no report was written.",
  runEnded: (status, error) => `the run ended as ${status}${error ? ` (${error})` : ""}.`,
};

const de = {
  ...en,
  you: "Du",
  scripted: "Drehbuch",
  allScripted:
    "Das Team spielt nach Drehbuch (scripted): Die Agenten spielen die Szenarien in demo/scenarios; kein " +
    "echtes Modell und kein Netz ist beteiligt. Mit OPENAI_API_KEY denkt es selbst.",
  someScripted: (names) => `Nach Drehbuch (scripted), also kein echtes Modell: ${names}.`,
  onModels: (names) => `Auf einem echten Modell: ${names}.`,
  watch: (link) => `Auch im Betrachter zu sehen: ${link}`,
  happens: "Was geschieht",
  asks: (from, to) => `${from} fragt ${to}: `,
  answers: (from, to) => `${from} antwortet ${to}: `,
  tells: (from, to, channel) => `${from} an ${to} (${channel}): `,
  calls: (agent, tool) => `${agent} ruft ${tool} auf: `,
  returns: (tool, agent) => `${tool} gibt ${agent} zurück: `,
  characters: (count) => `${count} Zeichen`,
  again: (agent) => `${agent} beginnt diese Antwort nach einem Fehlversuch von vorn.`,
  notice: "Hinweis an einen Menschen: ",
  lostStream: "Der Strom des Chats brach ab; der Lauf geht weiter, und auf ihn wird gewartet.",
  outcome: {
    denied: "ABGELEHNT",
    timeout: "ZEIT ABGELAUFEN",
    failed: "FEHLGESCHLAGEN",
    interrupted: "UNTERBROCHEN",
  },
  ended: (agent, status, duration) => `${agent} ist fertig: ${status} nach ${duration}.`,
  chain: "Der Vorgang",
  columns: ["Agent", "Auslöser", "Modell", "Status", "Dauer", "Kosten"],
  triggers: { chat: "Chat", run: "Lauf", ask: "Rückfrage", task: "Auftrag", schedule: "Zeitplan" },
  statuses: {
    completed: "abgeschlossen",
    failed: "fehlgeschlagen",
    timeout: "Zeit abgelaufen",
    cancelled: "abgebrochen",
    step_limit: "Schrittgrenze",
    budget: "Budget",
    delivered: "zugestellt",
    denied: "abgelehnt",
  },
  running: "läuft",
  totals: ({ runs, depth, duration, input, output, cost }) =>
    `${runs} Läufe, Tiefe ${depth}, ${duration}, ${input} Token hinein, ${output} heraus. Kosten: ${cost}.`,
  tookPart: (count, names) => `${count} Agenten waren beteiligt: ${names}.`,
  unknown: "unbekannt",
  atLeast: (cost, runs) => `mindestens ${cost} (${runs} mit unbekanntem Preis)`,
  messages: (count, kinds) => `${count} Nachrichten sind aufgezeichnet: ${kinds}.`,
  incomplete: (count) => `${count} Zeilen sind noch auf dem Weg in die Aufzeichnung.`,
  nothing: "Nichts.",
  trouble: "Abgelehnt, zu spät, fehlgeschlagen",
  file: "Die geschriebene Datei",
  fileAt: (agent, path, size) => `${path}, ${size} Zeichen, von ${agent} mit FileRW geschrieben:`,
  fileKept: (key) => `Sie liegt im R2-Bucket parley-files als ${key}. So liest man sie von dort:`,
  look: "Wo man nachsieht",
  viewer: "Betrachter:",
  api: "API, mit der Kopfzeile Authorization: Bearer und dem Token aus dem Link des Betrachters:",
  stopped: (command) =>
    `Die Instanz ist beendet, alles ist aufbewahrt. Zum Umsehen startet man sie wieder (die Zeile „ready“ ist der neue Link): ${command}`,
  orKeep: "Oder die Demo lässt sie laufen: npm run demo -- --keep",
  keeps: "Die Instanz läuft weiter. Strg-C beendet sie.",
  notReached: (why) => `Die Demo kam nicht an ihr Ende: ${why}`,
  noFile: "Es wurde kein Bericht geschrieben.",
  runEnded: (status, error) => `Der Lauf endete als „${status}“${error ? ` (${error})` : ""}.`,
};

/** @param language `en` or `de` */
export function textsIn(language) {
  const texts = language === "de" ? de : en;
  const whole = new Intl.NumberFormat(language);
  const seconds = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const money = new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 6,
  });
  return {
    ...texts,
    count: (number) => (number === null ? texts.unknown : whole.format(number)),
    duration: (ms) => (ms === undefined ? "" : `${seconds.format(ms / 1000)} s`),
    /** Null is unknown, and never shown as nothing. */
    cost: (usd) => (usd === null ? texts.unknown : money.format(usd)),
    trigger: (name) => texts.triggers[name] ?? name,
    status: (name) => (name === null ? texts.running : (texts.statuses[name] ?? name)),
  };
}
