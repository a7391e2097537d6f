/** Databases as older instances left them. */
import { DatabaseSync } from "node:sqlite";

const CALLS_PER_RUN = 10;

export interface OldSize {
  readonly calls: number;
  readonly messages: number;
  /** Stands in the arguments of the first call and in the first message. */
  readonly secret: string;
}

/** Before lineage: PascalCase, dates as text with a space, money in dollars; each run has ten calls. */
export function writeOldDatabase(path: string, { calls, messages, secret }: OldSize): void {
  const db = new DatabaseSync(path);
  db.exec(`
    CREATE TABLE RunReceipts (RunId TEXT PRIMARY KEY, AgentId TEXT, TriggerType TEXT, ModelName TEXT, Status TEXT,
      Iterations INTEGER, PromptTokens INTEGER, CompletionTokens INTEGER, CostUsd REAL, StartedAt TEXT, FinishedAt TEXT, Machine TEXT);
    CREATE TABLE AuditLog (Id INTEGER PRIMARY KEY AUTOINCREMENT, RunId TEXT, AgentId TEXT, ToolName TEXT, Arguments TEXT,
      Success INTEGER, ErrorMessage TEXT, DurationMs REAL, Timestamp TEXT);
    CREATE TABLE AgentMessages (Id INTEGER PRIMARY KEY AUTOINCREMENT, PairKey TEXT, FromAgentId TEXT, ToAgentId TEXT, Channel TEXT,
      Direction TEXT, Content TEXT, RunId TEXT, ParentRunId TEXT, RootRunId TEXT, TaskId TEXT, Status TEXT, OccurredAt TEXT);
    CREATE TABLE Schedules (Id INTEGER PRIMARY KEY, Cron TEXT);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${calls})
      INSERT INTO AuditLog SELECT i + 1, 'old-run-' || (i / ${CALLS_PER_RUN}), 'clerk', 'FileRW', '{"path":"' || i || '.txt"}',
        i % 7 != 0, CASE WHEN i % 7 = 0 THEN 'no such file' END, i % 90 + 0.5, datetime(1740000000 + i, 'unixepoch') FROM n;
    INSERT INTO RunReceipts SELECT RunId, 'clerk', 'Cron', 'gpt-4o', 'Success', 3, 1000, 50, 0.0025, min(Timestamp), max(Timestamp), 'pc'
      FROM AuditLog GROUP BY RunId;
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${messages})
      INSERT INTO AgentMessages SELECT i + 1, 'auditor|clerk', 'clerk', 'auditor', 'ask', 'request', 'wombat ' || i, 'old-run-' || i,
        NULL, 'old-run-' || i, NULL, 'delivered', strftime('%Y-%m-%dT%H:%M:%SZ', 1740000000 + i, 'unixepoch') FROM n;
  `);
  db.prepare("UPDATE AuditLog SET Arguments = ? WHERE Id = 1").run(JSON.stringify({ password: secret }));
  db.prepare("UPDATE AgentMessages SET Content = ? WHERE Id = 1").run(
    `the key is ${secret}, says the wombat`,
  );
  db.close();
}

/** With lineage: snake_case, no row numbers, and cells of whatever type. */
export function writeOddDatabase(path: string): void {
  const db = new DatabaseSync(path);
  db.exec(`
    CREATE TABLE run_receipts (run_id TEXT PRIMARY KEY, parent_run_id, root_run_id, agent_id, status, cost, started_at, duration,
      input_tokens) WITHOUT ROWID;
    CREATE TABLE audit_log (id TEXT, run_id, agent_id, tool, args, outcome, occurred_at, duration_ms);
    INSERT INTO run_receipts VALUES
      ('odd-root', NULL, NULL, 'clerk', 1, '0.5', 1740000000, '00:00:01.5', '12'),
      ('odd-child', 'odd-root', 'odd-root', CAST('clerk' AS BLOB), 'max_steps', NULL, 1740000001000, 20, NULL),
      ('odd-lost', NULL, NULL, 'clerk', 'ok', 1, NULL, NULL, NULL),
      ('odd-word', NULL, NULL, 'clerk', 'Napping', 9007199254740993, '638764200000000000', 1.5, 'many');
    INSERT INTO audit_log VALUES
      ('a', 'odd-root', 'clerk', 'Mail', x'ff00', 'blocked', 1740000000.25, NULL),
      ('a', 'odd-child', 'clerk', 'Mail', NULL, NULL, '2025-02-19 21:20:01+00:00', '7'),
      (NULL, NULL, 'clerk', 42, 3.5, 'true', '19.02.2025 21:20', 'soon'),
      ('b', 'odd-child', NULL, 'Mail', '', 'ok', 1740000000, 1);
  `);
  db.close();
}
