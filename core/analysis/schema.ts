/**
 * The roll-ups in D1: what the record adds up to, kept so that figures never read the record itself.
 * `MessageRollups` and `RunRollups` are kept by triggers in the batch that writes the rows (rollup-sql.ts),
 * the others by the analysis (analyse.ts). They stay when retention deletes rows, but for the questions,
 * which hold words of messages.
 */
import { sql } from "drizzle-orm/sql";
import { integer, text } from "drizzle-orm/sqlite-core/columns";
import { index } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import { MESSAGE_CHANNELS } from "../record/vocabulary.ts";

/** `2026-10`, `2026-10-01` or `2026-10-01T13`: each row of the record counts in all three. */
const period = () => text("Period").notNull();
const count = (name: string) => integer(name).notNull().default(0);
/** A JSON object of counters. */
const counters = (name: string) => text(name).notNull().default("{}");

export const messageRollups = sqliteTable(
  "MessageRollups",
  {
    period: period(),
    fromAgentId: text("FromAgentId").notNull(),
    toAgentId: text("ToAgentId").notNull(),
    channel: text("Channel", { enum: MESSAGE_CHANNELS }).notNull(),
    requests: count("Requests"),
    responses: count("Responses"),
    requestFailed: count("RequestFailed"),
    requestTimeout: count("RequestTimeout"),
    requestDenied: count("RequestDenied"),
    responseFailed: count("ResponseFailed"),
    responseTimeout: count("ResponseTimeout"),
    responseDenied: count("ResponseDenied"),
    /** How the tasks given in this period ended so far. */
    done: count("Done"),
    blocked: count("Blocked"),
    rejected: count("Rejected"),
    cancelled: count("Cancelled"),
    firstAt: text("FirstAt").notNull(),
    lastAt: text("LastAt").notNull(),
    /**
     * `m13`: messages from 13:00 UTC on, `t13`: those of them that were not delivered; `o13` and `x13`: the same
     * without questions, which count by their answers.
     */
    byHour: counters("ByHour"),
    /** How long answers and results took, by bucket, see histogram.ts. */
    waits: counters("Waits"),
  },
  (table) => [primaryKey({ columns: [table.period, table.fromAgentId, table.toAgentId, table.channel] })],
);

export const runRollups = sqliteTable(
  "RunRollups",
  {
    period: period(),
    agentId: text("AgentId").notNull(),
    trigger: text("Trigger").notNull(),
    model: text("Model").notNull(),
    runs: count("Runs"),
    failed: count("Failed"),
    timeout: count("Timeout"),
    cancelled: count("Cancelled"),
    stepLimit: count("StepLimit"),
    budget: count("Budget"),
    inputTokens: count("InputTokens"),
    outputTokens: count("OutputTokens"),
    /** Of the runs with a known price. */
    costMicros: count("CostMicros"),
    unpriced: count("Unpriced"),
    /** Costs of single runs by bucket. */
    costs: counters("Costs"),
  },
  (table) => [primaryKey({ columns: [table.period, table.agentId, table.trigger, table.model] })],
);

/** Chains that have got rows since they were last looked at. */
export const dirtyChains = sqliteTable("DirtyChains", { rootRunId: text("RootRunId").primaryKey() });

/** Answers whose questions have not been compared yet, by the answers' ids. */
export const newAnswers = sqliteTable("NewAnswers", { messageId: integer("MessageId").primaryKey() });

/** What a chain came to, from its receipts and messages; see chain-facts.ts. */
export const chainFacts = sqliteTable(
  "ChainFacts",
  {
    rootRunId: text("RootRunId").primaryKey(),
    agentId: text("AgentId").notNull(),
    trigger: text("Trigger").notNull(),
    model: text("Model").notNull(),
    startedAt: text("StartedAt").notNull(),
    endedAt: text("EndedAt").notNull(),
    runs: integer("Runs").notNull(),
    failedRuns: integer("FailedRuns").notNull(),
    stepLimitRuns: integer("StepLimitRuns").notNull(),
    depth: integer("Depth").notNull(),
    /** To which depth work was handed on, when that is 5 or more and it failed there; else 0. */
    deepFailed: integer("DeepFailed").notNull(),
    /** Of the runs with a known price. */
    costMicros: integer("CostMicros").notNull(),
    unpriced: integer("Unpriced").notNull(),
    messages: integer("Messages").notNull(),
    /** The longest back and forth between two of its agents, in turns, and who they are. */
    turns: integer("Turns").notNull(),
    turnsPair: text("TurnsPair").notNull(),
    /** `[[runs, failed], ...]` by depth. */
    byDepth: text("ByDepth").notNull(),
    /** Who ran in it, as a JSON list, the one that was instructed first. */
    agents: text("Agents").notNull(),
  },
  (table) => [
    // Most chains have neither: the partial indexes cost them nothing.
    index("IX_ChainFacts_Turns").on(table.startedAt).where(sql`"Turns" >= 6`),
    index("IX_ChainFacts_Deep").on(table.startedAt).where(sql`"DeepFailed" > 0`),
  ],
);

export const chainRollups = sqliteTable(
  "ChainRollups",
  {
    period: period(),
    agentId: text("AgentId").notNull(),
    trigger: text("Trigger").notNull(),
    model: text("Model").notNull(),
    /** The sums as JSON, see chain-sums.ts. */
    sums: text("Sums").notNull(),
  },
  (table) => [primaryKey({ columns: [table.period, table.agentId, table.trigger, table.model] })],
);

/** Back and forth over several chains, see ping-pong.ts. */
export const pingPongs = sqliteTable(
  "PingPongs",
  {
    /** The first message of it. */
    messageId: integer("MessageId").primaryKey(),
    pairKey: text("PairKey").notNull(),
    turns: integer("Turns").notNull(),
    firstAt: text("FirstAt").notNull(),
    lastAt: text("LastAt").notNull(),
    /** The newest 100 messages: `[[id, rootRunId], ...]`. */
    messages: text("Messages").notNull(),
  },
  (table) => [
    index("IX_PingPongs_Pair").on(table.pairKey, table.lastAt),
    index("IX_PingPongs_Last").on(table.lastAt),
  ],
);

/** Questions of one agent to another that ask the same, see question/. */
export const questionGroups = sqliteTable(
  "QuestionGroups",
  {
    /** The message that asked it first. */
    groupId: integer("GroupId").primaryKey(),
    fromAgentId: text("FromAgentId").notNull(),
    toAgentId: text("ToAgentId").notNull(),
    /** What is compared, as JSON: stems, numbers and names, no sentence. */
    print: text("Print").notNull(),
    /** An embedding, base64 of one byte for each dimension; null without a model. */
    vector: text("Vector"),
    asked: integer("Asked").notNull(),
    answered: integer("Answered").notNull(),
    /** Answers that said the same as the one before. */
    sameAnswers: integer("SameAnswers").notNull(),
    firstAt: text("FirstAt").notNull(),
    lastAt: text("LastAt").notNull(),
    /** The newest 100: `[questionId, answerId, milliseconds, answered, same]`. */
    members: text("Members").notNull(),
    /** What the latest delivered answer said, to compare the next with. */
    answerPrint: text("AnswerPrint"),
  },
  (table) => [
    index("IX_QuestionGroups_Pair").on(table.fromAgentId, table.toAgentId, table.lastAt),
    index("IX_QuestionGroups_Asked").on(table.lastAt).where(sql`"Asked" >= 3`),
  ],
);

/** One row. */
export const analysisState = sqliteTable("AnalysisState", {
  id: integer("Id").primaryKey(),
  /** Counts steps of the analysis; one that started from an older one is refused. */
  version: integer("Version").notNull(),
  /** Null is refused, which undoes the batch of whoever was late. */
  guard: integer("Guard").notNull(),
  /** While the sums over chains are made anew: chains beyond this one are not in them yet. Null: all are. */
  countedUpTo: text("CountedUpTo"),
});

/** Those that hold texts, for the checks of what is stored. */
export const ANALYSIS_TABLES = [
  messageRollups,
  runRollups,
  dirtyChains,
  chainFacts,
  chainRollups,
  pingPongs,
  questionGroups,
  analysisState,
] as const;
