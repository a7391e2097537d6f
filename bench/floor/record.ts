/** The rows that a run of the product writes to D1, by plain inserts in one batch. */

export interface RunFacts {
  readonly runId: string;
  readonly rootRunId: string;
  readonly parentRunId: string | null;
  readonly agentId: string;
  readonly model: string;
  readonly steps: number;
  readonly startedAt: number;
  /** Whether the run's log line is kept. */
  readonly isLogged: boolean;
}

export interface CallFacts {
  readonly tool: string;
  readonly arguments: string;
}

export interface AskFacts {
  readonly from: string;
  readonly to: string;
  readonly question: string;
  readonly answer: string;
}

export interface Recorded {
  readonly runs: readonly RunFacts[];
  readonly call: CallFacts;
  readonly ask: AskFacts | null;
}

const RECEIPT = `INSERT INTO RunReceipts (RunId, ParentRunId, RootRunId, AgentId, Trigger, Model, Status, Reason, Steps,
  ToolCalls, InputTokens, CachedInputTokens, OutputTokens, ReasoningTokens, CostMicros, PriceSource, QueuedMs,
  DurationMs, StartedAt, FinishedAt, Resumes, Error)
  VALUES (?, ?, ?, ?, 'chat', ?, 'completed', NULL, ?, 1, 200, 0, 40, 0, 130, 'config', 0, ?, ?, ?, 0, NULL)`;
const AUDIT = `INSERT INTO AuditLog (Uid, RunId, ParentRunId, RootRunId, AgentId, Tool, Arguments, Outcome, Error,
  DurationMs, OccurredAt) VALUES (?, ?, NULL, ?, ?, ?, ?, 'ok', NULL, 1, ?)`;
const MESSAGE = `INSERT INTO AgentMessages (Uid, PairKey, FromAgentId, ToAgentId, Channel, Direction, Content, ContentRef,
  RunId, ParentRunId, RootRunId, TaskId, Status, OccurredAt)
  VALUES (?, ?, ?, ?, 'ask', ?, ?, NULL, ?, NULL, ?, NULL, 'delivered', ?)`;
const LOG = `INSERT INTO Logs (Module, Level, AgentId, RunId, Text, OccurredAt)
  VALUES ('Core', 'info', ?, ?, 'Run completed', ?)`;

export async function writeRecord(db: D1Database, recorded: Recorded): Promise<void> {
  const [root] = recorded.runs;
  if (root === undefined) return;
  const now = Date.now();
  await db.batch([
    ...messageRows(db, root, { ask: recorded.ask, at: iso(now) }),
    db
      .prepare(AUDIT)
      .bind(
        `${root.runId}:0:0`,
        root.runId,
        root.rootRunId,
        root.agentId,
        recorded.call.tool,
        recorded.call.arguments,
        iso(now),
      ),
    ...recorded.runs.map((run) => receiptRow(db, run, now)),
    ...recorded.runs
      .filter(({ isLogged }) => isLogged)
      .map(({ agentId, runId }) => db.prepare(LOG).bind(agentId, runId, iso(now))),
  ]);
}

function receiptRow(db: D1Database, run: RunFacts, now: number): D1PreparedStatement {
  const { runId, parentRunId, rootRunId, agentId, model, steps, startedAt } = run;
  const duration = now - startedAt;
  return db
    .prepare(RECEIPT)
    .bind(runId, parentRunId, rootRunId, agentId, model, steps, duration, iso(startedAt), iso(now));
}

function messageRows(
  db: D1Database,
  root: RunFacts,
  { ask, at }: { readonly ask: AskFacts | null; readonly at: string },
): D1PreparedStatement[] {
  if (ask === null) return [];
  const pair = ask.from <= ask.to ? `${ask.from}|${ask.to}` : `${ask.to}|${ask.from}`;
  const row = (from: string, to: string, rest: { readonly direction: string; readonly content: string }) =>
    db
      .prepare(MESSAGE)
      .bind(
        `ask:${root.runId}:${rest.direction}`,
        pair,
        from,
        to,
        rest.direction,
        rest.content,
        root.runId,
        root.rootRunId,
        at,
      );
  return [
    row(ask.from, ask.to, { direction: "request", content: ask.question }),
    row(ask.to, ask.from, { direction: "response", content: ask.answer }),
  ];
}

const iso = (ms: number) => new Date(ms).toISOString();
