CREATE TABLE `AnalysisState` (
	`Id` integer PRIMARY KEY NOT NULL,
	`Version` integer NOT NULL,
	`Guard` integer NOT NULL,
	`CountedUpTo` text
);
--> statement-breakpoint
CREATE TABLE `ChainFacts` (
	`RootRunId` text PRIMARY KEY NOT NULL,
	`AgentId` text NOT NULL,
	`Trigger` text NOT NULL,
	`Model` text NOT NULL,
	`StartedAt` text NOT NULL,
	`EndedAt` text NOT NULL,
	`Runs` integer NOT NULL,
	`FailedRuns` integer NOT NULL,
	`StepLimitRuns` integer NOT NULL,
	`Depth` integer NOT NULL,
	`DeepFailed` integer NOT NULL,
	`CostMicros` integer NOT NULL,
	`Unpriced` integer NOT NULL,
	`Messages` integer NOT NULL,
	`Turns` integer NOT NULL,
	`TurnsPair` text NOT NULL,
	`ByDepth` text NOT NULL,
	`Agents` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `IX_ChainFacts_Turns` ON `ChainFacts` (`StartedAt`) WHERE "Turns" >= 6;--> statement-breakpoint
CREATE INDEX `IX_ChainFacts_Deep` ON `ChainFacts` (`StartedAt`) WHERE "DeepFailed" > 0;--> statement-breakpoint
CREATE TABLE `ChainRollups` (
	`Period` text NOT NULL,
	`AgentId` text NOT NULL,
	`Trigger` text NOT NULL,
	`Model` text NOT NULL,
	`Sums` text NOT NULL,
	PRIMARY KEY(`Period`, `AgentId`, `Trigger`, `Model`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `DirtyChains` (
	`RootRunId` text PRIMARY KEY NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `MessageRollups` (
	`Period` text NOT NULL,
	`FromAgentId` text NOT NULL,
	`ToAgentId` text NOT NULL,
	`Channel` text NOT NULL,
	`Requests` integer DEFAULT 0 NOT NULL,
	`Responses` integer DEFAULT 0 NOT NULL,
	`RequestFailed` integer DEFAULT 0 NOT NULL,
	`RequestTimeout` integer DEFAULT 0 NOT NULL,
	`RequestDenied` integer DEFAULT 0 NOT NULL,
	`ResponseFailed` integer DEFAULT 0 NOT NULL,
	`ResponseTimeout` integer DEFAULT 0 NOT NULL,
	`ResponseDenied` integer DEFAULT 0 NOT NULL,
	`Done` integer DEFAULT 0 NOT NULL,
	`Blocked` integer DEFAULT 0 NOT NULL,
	`Rejected` integer DEFAULT 0 NOT NULL,
	`Cancelled` integer DEFAULT 0 NOT NULL,
	`FirstAt` text NOT NULL,
	`LastAt` text NOT NULL,
	`ByHour` text DEFAULT '{}' NOT NULL,
	`Waits` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`Period`, `FromAgentId`, `ToAgentId`, `Channel`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `NewAnswers` (
	`MessageId` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `PingPongs` (
	`MessageId` integer PRIMARY KEY NOT NULL,
	`PairKey` text NOT NULL,
	`Turns` integer NOT NULL,
	`FirstAt` text NOT NULL,
	`LastAt` text NOT NULL,
	`Messages` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `IX_PingPongs_Pair` ON `PingPongs` (`PairKey`,`LastAt`);--> statement-breakpoint
CREATE INDEX `IX_PingPongs_Last` ON `PingPongs` (`LastAt`);--> statement-breakpoint
CREATE TABLE `QuestionGroups` (
	`GroupId` integer PRIMARY KEY NOT NULL,
	`FromAgentId` text NOT NULL,
	`ToAgentId` text NOT NULL,
	`Print` text NOT NULL,
	`Vector` text,
	`Asked` integer NOT NULL,
	`Answered` integer NOT NULL,
	`SameAnswers` integer NOT NULL,
	`FirstAt` text NOT NULL,
	`LastAt` text NOT NULL,
	`Members` text NOT NULL,
	`AnswerPrint` text
);
--> statement-breakpoint
CREATE INDEX `IX_QuestionGroups_Pair` ON `QuestionGroups` (`FromAgentId`,`ToAgentId`,`LastAt`);--> statement-breakpoint
CREATE INDEX `IX_QuestionGroups_Asked` ON `QuestionGroups` (`LastAt`) WHERE "Asked" >= 3;--> statement-breakpoint
CREATE TABLE `RunRollups` (
	`Period` text NOT NULL,
	`AgentId` text NOT NULL,
	`Trigger` text NOT NULL,
	`Model` text NOT NULL,
	`Runs` integer DEFAULT 0 NOT NULL,
	`Failed` integer DEFAULT 0 NOT NULL,
	`Timeout` integer DEFAULT 0 NOT NULL,
	`Cancelled` integer DEFAULT 0 NOT NULL,
	`StepLimit` integer DEFAULT 0 NOT NULL,
	`Budget` integer DEFAULT 0 NOT NULL,
	`InputTokens` integer DEFAULT 0 NOT NULL,
	`OutputTokens` integer DEFAULT 0 NOT NULL,
	`CostMicros` integer DEFAULT 0 NOT NULL,
	`Unpriced` integer DEFAULT 0 NOT NULL,
	`Costs` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`Period`, `AgentId`, `Trigger`, `Model`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `IX_AgentMessages_TroublePair` ON `AgentMessages` (`PairKey`,`OccurredAt`) WHERE "Status" <> 'delivered';--> statement-breakpoint
CREATE INDEX `IX_AgentMessages_TroubleTime` ON `AgentMessages` (`OccurredAt`) WHERE "Status" <> 'delivered';--> statement-breakpoint
INSERT INTO `AnalysisState` (`Id`, `Version`, `Guard`) VALUES (1, 0, 0);
--> statement-breakpoint
-- Roll-ups: these triggers are made from core/analysis/rollup-sql.ts; a test compares them. Written by hand are also
-- WITHOUT ROWID above, which saves a row per insert, and the one row of AnalysisState.
CREATE TRIGGER "AgentMessages_Rollup" AFTER INSERT ON "AgentMessages" BEGIN
  INSERT INTO "MessageRollups" ("Period", "FromAgentId", "ToAgentId", "Channel", "Requests", "Responses", "RequestFailed", "RequestTimeout", "RequestDenied", "ResponseFailed", "ResponseTimeout", "ResponseDenied", "FirstAt", "LastAt", "ByHour", "Waits")
  SELECT substr(r."OccurredAt", 1, p."length"), r."FromAgentId", r."ToAgentId", r."Channel", (r."Direction" = 'request'), (r."Direction" = 'response'), (r."Direction" = 'request' AND r."Status" = 'failed'), (r."Direction" = 'request' AND r."Status" = 'timeout'), (r."Direction" = 'request' AND r."Status" = 'denied'), (r."Direction" = 'response' AND r."Status" = 'failed'), (r."Direction" = 'response' AND r."Status" = 'timeout'), (r."Direction" = 'response' AND r."Status" = 'denied'), r."OccurredAt", r."OccurredAt", iif(r."Status" = 'delivered', iif(r."Channel" = 'ask' AND r."Direction" = 'request', json_set('{}', '$.m' || substr(r."OccurredAt", 12, 2), 1), json_set('{}', '$.m' || substr(r."OccurredAt", 12, 2), 1, '$.o' || substr(r."OccurredAt", 12, 2), 1)), iif(r."Channel" = 'ask' AND r."Direction" = 'request', json_set('{}', '$.m' || substr(r."OccurredAt", 12, 2), 1, '$.t' || substr(r."OccurredAt", 12, 2), 1), json_set('{}', '$.m' || substr(r."OccurredAt", 12, 2), 1, '$.t' || substr(r."OccurredAt", 12, 2), 1, '$.o' || substr(r."OccurredAt", 12, 2), 1, '$.x' || substr(r."OccurredAt", 12, 2), 1))), coalesce(json_set('{}', '$.b' || CAST(floor(ln(max(r."waited", 1)) / ln(1.1)) AS INTEGER), 1), '{}')
  FROM (SELECT r.*, CAST(round((julianday(r."OccurredAt") - julianday(iif(r."Direction" <> 'response' OR r."Status" <> 'delivered', NULL,
    iif(r."Channel" = 'ask', iif(r."Uid" NOT LIKE 'import:%',
      (SELECT q."OccurredAt" FROM "AgentMessages" q WHERE q."Uid" = substr(r."Uid", 1, length(r."Uid") - 8) || 'request'),
      (SELECT q."OccurredAt" FROM "AgentMessages" q WHERE q."RootRunId" = r."RootRunId" AND q."OccurredAt" <= r."OccurredAt"
        AND q."Channel" = 'ask' AND q."Direction" = 'request' AND q."FromAgentId" = r."ToAgentId" AND q."ToAgentId" = r."FromAgentId"
        ORDER BY q."OccurredAt" DESC LIMIT 1)),
    iif(r."Channel" = 'task_result', coalesce(
      (SELECT t."CreatedAt" FROM "Tasks" t WHERE t."TaskId" = r."TaskId"),
      (SELECT q."OccurredAt" FROM "AgentMessages" q WHERE q."RootRunId" = r."RootRunId" AND q."TaskId" = r."TaskId"
        AND q."Channel" = 'task' ORDER BY q."OccurredAt" LIMIT 1)), NULL))))) * 86400000) AS INTEGER) AS "waited" FROM (SELECT NEW."Uid" AS "Uid", NEW."OccurredAt" AS "OccurredAt", NEW."FromAgentId" AS "FromAgentId", NEW."ToAgentId" AS "ToAgentId", NEW."Channel" AS "Channel", NEW."Direction" AS "Direction", NEW."Status" AS "Status", NEW."RootRunId" AS "RootRunId", NEW."TaskId" AS "TaskId") r LIMIT 9223372036854775807) r, (SELECT 7 AS "length" UNION ALL SELECT 10 UNION ALL SELECT 13) p WHERE true
  ON CONFLICT DO UPDATE SET "Requests" = "Requests" + excluded."Requests", "Responses" = "Responses" + excluded."Responses", "RequestFailed" = "RequestFailed" + excluded."RequestFailed", "RequestTimeout" = "RequestTimeout" + excluded."RequestTimeout", "RequestDenied" = "RequestDenied" + excluded."RequestDenied", "ResponseFailed" = "ResponseFailed" + excluded."ResponseFailed", "ResponseTimeout" = "ResponseTimeout" + excluded."ResponseTimeout", "ResponseDenied" = "ResponseDenied" + excluded."ResponseDenied",
    "FirstAt" = min("FirstAt", excluded."FirstAt"), "LastAt" = max("LastAt", excluded."LastAt"),
    "ByHour" = iif(excluded."ByHour" = '{}', "MessageRollups"."ByHour", (SELECT json_group_object("key", "total") FROM (
      SELECT "key", sum("value") AS "total" FROM (
        SELECT "key", "value" FROM json_each("MessageRollups"."ByHour") UNION ALL SELECT "key", "value" FROM json_each(excluded."ByHour")
      ) GROUP BY "key"))), "Waits" = iif(excluded."Waits" = '{}', "MessageRollups"."Waits", (SELECT json_group_object("key", "total") FROM (
      SELECT "key", sum("value") AS "total" FROM (
        SELECT "key", "value" FROM json_each("MessageRollups"."Waits") UNION ALL SELECT "key", "value" FROM json_each(excluded."Waits")
      ) GROUP BY "key")));
  INSERT INTO "DirtyChains" ("RootRunId") VALUES (NEW."RootRunId") ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER "AgentMessages_NewAnswer" AFTER INSERT ON "AgentMessages" WHEN NEW."Channel" = 'ask' AND NEW."Direction" = 'response' BEGIN
  INSERT INTO "NewAnswers" ("MessageId") VALUES (NEW."Id") ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER "RunReceipts_Rollup" AFTER INSERT ON "RunReceipts" BEGIN
  INSERT INTO "RunRollups" ("Period", "AgentId", "Trigger", "Model", "Runs", "Failed", "Timeout", "Cancelled", "StepLimit", "Budget", "InputTokens", "OutputTokens", "CostMicros", "Unpriced", "Costs")
  SELECT substr(r."StartedAt", 1, p."length"), r."AgentId", r."Trigger", r."Model", 1, (r."Status" = 'failed'), (r."Status" = 'timeout'), (r."Status" = 'cancelled'), (r."Status" = 'step_limit'), (r."Status" = 'budget'), coalesce(r."InputTokens", 0), coalesce(r."OutputTokens", 0), coalesce(r."CostMicros", 0), (r."CostMicros" IS NULL), coalesce(json_set('{}', '$.b' || CAST(floor(ln(max(r."CostMicros", 1)) / ln(1.1)) AS INTEGER), 1), '{}')
  FROM (SELECT NEW."StartedAt" AS "StartedAt", NEW."AgentId" AS "AgentId", NEW."Trigger" AS "Trigger", NEW."Model" AS "Model", NEW."Status" AS "Status", NEW."InputTokens" AS "InputTokens", NEW."OutputTokens" AS "OutputTokens", NEW."CostMicros" AS "CostMicros") r, (SELECT 7 AS "length" UNION ALL SELECT 10 UNION ALL SELECT 13) p WHERE true
  ON CONFLICT DO UPDATE SET "Runs" = "Runs" + excluded."Runs", "Failed" = "Failed" + excluded."Failed", "Timeout" = "Timeout" + excluded."Timeout", "Cancelled" = "Cancelled" + excluded."Cancelled", "StepLimit" = "StepLimit" + excluded."StepLimit", "Budget" = "Budget" + excluded."Budget", "InputTokens" = "InputTokens" + excluded."InputTokens", "OutputTokens" = "OutputTokens" + excluded."OutputTokens", "CostMicros" = "CostMicros" + excluded."CostMicros", "Unpriced" = "Unpriced" + excluded."Unpriced", "Costs" = iif(excluded."Costs" = '{}', "RunRollups"."Costs", (SELECT json_group_object("key", "total") FROM (
      SELECT "key", sum("value") AS "total" FROM (
        SELECT "key", "value" FROM json_each("RunRollups"."Costs") UNION ALL SELECT "key", "value" FROM json_each(excluded."Costs")
      ) GROUP BY "key")));
  INSERT INTO "DirtyChains" ("RootRunId") VALUES (NEW."RootRunId") ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER "Tasks_NewEnd" AFTER INSERT ON "Tasks" WHEN NEW."Status" IN ('done', 'blocked', 'cancelled') BEGIN
  INSERT INTO "MessageRollups" ("Period", "FromAgentId", "ToAgentId", "Channel", "Done", "Blocked", "Rejected", "Cancelled", "FirstAt", "LastAt")
  SELECT substr(r."CreatedAt", 1, p."length"), r."Creator", iif(r."Assignee" LIKE '@new:%', substr(r."Assignee", 6), r."Assignee"), 'task', (r."Status" = 'done'), (r."Status" = 'blocked' AND r."Rejections" = 0), (r."Status" = 'blocked' AND r."Rejections" > 0), (r."Status" = 'cancelled'), r."CreatedAt", r."CreatedAt"
  FROM (SELECT NEW."CreatedAt" AS "CreatedAt", NEW."Creator" AS "Creator", NEW."Assignee" AS "Assignee", NEW."Status" AS "Status", NEW."Rejections" AS "Rejections") r, (SELECT 7 AS "length" UNION ALL SELECT 10 UNION ALL SELECT 13) p WHERE r."Creator" <> iif(r."Assignee" LIKE '@new:%', substr(r."Assignee", 6), r."Assignee")
  ON CONFLICT DO UPDATE SET "Done" = "Done" + excluded."Done", "Blocked" = "Blocked" + excluded."Blocked", "Rejected" = "Rejected" + excluded."Rejected", "Cancelled" = "Cancelled" + excluded."Cancelled";
END;
--> statement-breakpoint
CREATE TRIGGER "Tasks_Ended" AFTER UPDATE OF "Status" ON "Tasks"
WHEN NEW."Status" <> OLD."Status" AND (NEW."Status" IN ('done', 'blocked', 'cancelled') OR OLD."Status" IN ('done', 'blocked', 'cancelled')) BEGIN
  INSERT INTO "MessageRollups" ("Period", "FromAgentId", "ToAgentId", "Channel", "Done", "Blocked", "Rejected", "Cancelled", "FirstAt", "LastAt")
  SELECT substr(r."CreatedAt", 1, p."length"), r."Creator", iif(r."Assignee" LIKE '@new:%', substr(r."Assignee", 6), r."Assignee"), 'task', (r."Status" = 'done') - (r."OldStatus" = 'done'), (r."Status" = 'blocked' AND r."Rejections" = 0) - (r."OldStatus" = 'blocked' AND r."OldRejections" = 0), (r."Status" = 'blocked' AND r."Rejections" > 0) - (r."OldStatus" = 'blocked' AND r."OldRejections" > 0), (r."Status" = 'cancelled') - (r."OldStatus" = 'cancelled'), r."CreatedAt", r."CreatedAt"
  FROM (SELECT NEW."CreatedAt" AS "CreatedAt", NEW."Creator" AS "Creator", NEW."Assignee" AS "Assignee",
    NEW."Status" AS "Status", NEW."Rejections" AS "Rejections", OLD."Status" AS "OldStatus", OLD."Rejections" AS "OldRejections") r, (SELECT 7 AS "length" UNION ALL SELECT 10 UNION ALL SELECT 13) p WHERE r."Creator" <> iif(r."Assignee" LIKE '@new:%', substr(r."Assignee", 6), r."Assignee")
  ON CONFLICT DO UPDATE SET "Done" = "Done" + excluded."Done", "Blocked" = "Blocked" + excluded."Blocked", "Rejected" = "Rejected" + excluded."Rejected", "Cancelled" = "Cancelled" + excluded."Cancelled";
END;
