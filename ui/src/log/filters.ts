/** What is asked of log and audit, read off the address: nothing that the API would refuse. */
type Query = Readonly<Record<string, string>>;

const MODULE = /^(?:Core|Worker|Tool_[A-Za-z0-9_-]{1,64})$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
export const LEVELS = ["", "info", "warn", "error"] as const;
export const OUTCOMES = ["ok", "failed", "denied", "timeout", "interrupted", "approval"] as const;

export interface LogFilters {
  readonly module: string;
  readonly level: (typeof LEVELS)[number];
  /** `YYYY-MM-DD`, or empty. */
  readonly day: string;
  readonly q: string;
  readonly runId: string;
  readonly agentId: string;
}

export function logFilters(query: Query): LogFilters {
  return {
    module: matching(query.module, MODULE),
    level: LEVELS.find((each) => each === query.level) ?? "",
    day: dayOf(query.day),
    q: query.q ?? "",
    runId: query.run ?? "",
    agentId: query.agent ?? "",
  };
}

export interface AuditFilters {
  readonly agentId: string;
  readonly tool: string;
  readonly outcome: (typeof OUTCOMES)[number] | "";
  readonly q: string;
  /** Days; both belong to the period. */
  readonly since: string;
  readonly until: string;
}

export function auditFilters(query: Query): AuditFilters {
  return {
    agentId: query.agent ?? "",
    tool: query.tool ?? "",
    outcome: OUTCOMES.find((each) => each === query.outcome) ?? "",
    q: query.q ?? "",
    since: dayOf(query.since),
    until: dayOf(query.until),
  };
}

function dayOf(text: string | undefined): string {
  const day = matching(text, DAY);
  return Number.isNaN(Date.parse(day)) ? "" : day;
}

function matching(text: string | undefined, pattern: RegExp): string {
  return text !== undefined && pattern.test(text) ? text : "";
}

/** The tools that agents have, without those built in, which log as `Core`. */
export function modulesOf(agents: readonly { readonly tools: readonly string[] }[]): string[] {
  const tools = new Set(agents.flatMap(({ tools: names }) => names));
  return [
    "Core",
    "Worker",
    ...[...tools]
      .filter((name) => !BUILT_IN.includes(name))
      .sort()
      .map((name) => `Tool_${name}`),
  ];
}

const BUILT_IN: readonly string[] = ["AskAgent", "Taskboard"];
