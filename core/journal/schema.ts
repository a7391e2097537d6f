/** Tables of an agent's object. Times are epoch milliseconds; packed columns are described in long-text.ts. */
import { type Database, first } from "./database.ts";
import { LONG_TEXT_SCHEMA } from "./long-text.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS Runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    runId TEXT NOT NULL UNIQUE,
    trigger TEXT NOT NULL,
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    lineage TEXT NOT NULL,
    input TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    maxSteps INTEGER,
    deadlineAt INTEGER,
    taskId TEXT,
    asker TEXT,
    state TEXT NOT NULL,
    acceptedAt INTEGER NOT NULL,
    startedAt INTEGER,
    resumes INTEGER NOT NULL DEFAULT 0,
    cancel TEXT,
    trouble TEXT,
    turn INTEGER,
    reply TEXT,
    receipt TEXT,
    chained INTEGER NOT NULL DEFAULT 0,
    settled INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS RunsOpen ON Runs (seq) WHERE state <> 'ended';
  CREATE INDEX IF NOT EXISTS RunsUnsettled ON Runs (seq) WHERE state = 'ended' AND settled = 0;
  CREATE INDEX IF NOT EXISTS RunsTurn ON Runs (conversation, turn) WHERE turn IS NOT NULL;
  CREATE TABLE IF NOT EXISTS Steps (
    runId TEXT NOT NULL, step INTEGER NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (runId, step)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS Calls (
    runId TEXT NOT NULL, step INTEGER NOT NULL, position INTEGER NOT NULL,
    state TEXT NOT NULL, askRunId TEXT, startedAt INTEGER, endedAt INTEGER,
    outcome TEXT, error TEXT, result TEXT, answer TEXT,
    PRIMARY KEY (runId, step, position)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS Summaries (
    id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, runId TEXT NOT NULL,
    upToTurn INTEGER NOT NULL, text TEXT NOT NULL, cost TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS Outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS ToolState (
    tool TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (tool, key)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS Contexts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, contextId TEXT NOT NULL,
    runId TEXT NOT NULL UNIQUE
  );
  CREATE INDEX IF NOT EXISTS ContextsOf ON Contexts (owner, contextId);
  CREATE INDEX IF NOT EXISTS ContextsOfOwner ON Contexts (owner);
  CREATE TABLE IF NOT EXISTS Settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** Creates what is missing; cheap when nothing is. */
export function createSchema(db: Database): void {
  db.run(SCHEMA + LONG_TEXT_SCHEMA);
  addColumn(db, "Runs", "asker");
  addColumn(db, "Calls", "answer");
}

/** To a table of an older version. */
function addColumn(db: Database, table: string, column: string): void {
  const known = first(db, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", table, column);
  if (known === null) db.run(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`);
}
