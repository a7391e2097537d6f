/** Which columns of an older database hold what. Compared in lower case without `_`; the first one that is not NULL counts. */

export const IMPORT_TABLES = ["RunReceipts", "AuditLog", "AgentMessages"] as const;
export type ImportTable = (typeof IMPORT_TABLES)[number];

type Columns = Readonly<Record<string, readonly string[]>>;

const LINEAGE = {
  runId: ["runid"],
  parentRunId: ["parentrunid"],
  rootRunId: ["rootrunid"],
};
const AGENT = ["agentid", "agent", "agentname"];
const ERROR = ["error", "errormessage", "errortext", "exception"];
const TIME = [
  "occurredat",
  "occurredatutc",
  "timestamp",
  "timestamputc",
  "createdat",
  "createdatutc",
  "loggedat",
  "startedat",
  "time",
  "date",
  "at",
];
const DURATION = {
  durationMs: ["durationms", "duration", "elapsedms", "elapsed"],
  durationSeconds: ["durationseconds", "elapsedseconds"],
};

export const RECEIPT_FIELDS = {
  ...LINEAGE,
  ...DURATION,
  agentId: AGENT,
  trigger: ["trigger", "triggertype", "triggeredby", "triggersource", "source", "kind", "runtype"],
  model: ["model", "modelname", "modelid"],
  status: ["status", "outcome", "state", "result", "success", "succeeded"],
  reason: ["reason", "stopreason", "finishreason", "endreason"],
  steps: ["steps", "stepcount", "iterations", "iterationcount", "rounds", "modelcalls", "llmcalls"],
  toolCalls: ["toolcalls", "toolcallcount", "toolcallscount", "toolcount"],
  inputTokens: ["inputtokens", "prompttokens", "tokensin", "inputtokencount"],
  cachedInputTokens: ["cachedinputtokens", "cachedtokens", "cachereadtokens", "cacheinputtokens"],
  outputTokens: ["outputtokens", "completiontokens", "tokensout", "outputtokencount"],
  reasoningTokens: ["reasoningtokens", "reasoningtokencount"],
  costMicros: ["costmicros", "costmicrousd", "costmicrodollars"],
  costUsd: [
    "costusd",
    "cost",
    "totalcost",
    "totalcostusd",
    "costdollars",
    "costindollars",
    "estimatedcost",
    "estimatedcostusd",
  ],
  costCents: ["costcents", "costuscents"],
  priceSource: ["pricesource"],
  queuedMs: ["queuedms", "queuems", "waitms"],
  startedAt: [
    "startedat",
    "startedatutc",
    "starttime",
    "started",
    "createdat",
    "createdatutc",
    "occurredat",
    "timestamp",
  ],
  finishedAt: [
    "finishedat",
    "finishedatutc",
    "endedat",
    "endtime",
    "completedat",
    "completedatutc",
    "finished",
    "ended",
  ],
  resumes: ["resumes", "resumecount"],
  error: ERROR,
} as const satisfies Columns;

export const AUDIT_FIELDS = {
  ...LINEAGE,
  ...DURATION,
  agentId: AGENT,
  tool: ["tool", "toolname", "function", "functionname"],
  arguments: [
    "arguments",
    "argumentsjson",
    "args",
    "argsjson",
    "input",
    "inputjson",
    "parameters",
    "toolarguments",
  ],
  outcome: ["outcome", "status", "success", "succeeded", "issuccess", "result"],
  error: ERROR,
  occurredAt: TIME,
} as const satisfies Columns;

export const MESSAGE_FIELDS = {
  ...LINEAGE,
  fromAgentId: ["fromagentid", "fromagent", "from", "senderagentid", "sender"],
  toAgentId: ["toagentid", "toagent", "to", "receiveragentid", "receiver", "recipient", "targetagentid"],
  channel: ["channel", "kind", "type"],
  direction: ["direction"],
  content: ["content", "text", "message", "body"],
  taskId: ["taskid"],
  status: ["status", "outcome", "state"],
  occurredAt: TIME,
} as const satisfies Columns;

export const FIELDS = {
  RunReceipts: RECEIPT_FIELDS,
  AuditLog: AUDIT_FIELDS,
  AgentMessages: MESSAGE_FIELDS,
} as const satisfies Readonly<Record<ImportTable, Columns>>;

/** Made anew here: keys of rows and what follows from other columns. */
const OURS = new Set(["id", "uid", "pairkey", "rowid"]);

export function plainName(column: string): string {
  return column.toLowerCase().replaceAll("_", "");
}

/** Columns whose contents have no place in our table. */
export function unknownColumns(table: ImportTable, columns: readonly string[]): string[] {
  const known = new Set<string>(Object.values(FIELDS[table]).flat());
  return columns.filter((column) => !known.has(plainName(column)) && !OURS.has(plainName(column)));
}
