CREATE TABLE `AgentMessages` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Uid` text NOT NULL,
	`PairKey` text NOT NULL,
	`FromAgentId` text NOT NULL,
	`ToAgentId` text NOT NULL,
	`Channel` text NOT NULL,
	`Direction` text NOT NULL,
	`Content` text NOT NULL,
	`ContentRef` text,
	`RunId` text NOT NULL,
	`ParentRunId` text,
	`RootRunId` text NOT NULL,
	`TaskId` text,
	`Status` text NOT NULL,
	`OccurredAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_AgentMessages_Uid` ON `AgentMessages` (`Uid`);--> statement-breakpoint
CREATE INDEX `IX_AgentMessages_Pair` ON `AgentMessages` (`PairKey`,`OccurredAt`);--> statement-breakpoint
CREATE INDEX `IX_AgentMessages_Root` ON `AgentMessages` (`RootRunId`,`OccurredAt`);--> statement-breakpoint
CREATE INDEX `IX_AgentMessages_From` ON `AgentMessages` (`FromAgentId`,`OccurredAt`);--> statement-breakpoint
CREATE INDEX `IX_AgentMessages_To` ON `AgentMessages` (`ToAgentId`,`OccurredAt`);--> statement-breakpoint
CREATE INDEX `IX_AgentMessages_Time` ON `AgentMessages` (`OccurredAt`);--> statement-breakpoint
CREATE TABLE `AuditLog` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Uid` text NOT NULL,
	`RunId` text NOT NULL,
	`ParentRunId` text,
	`RootRunId` text NOT NULL,
	`AgentId` text NOT NULL,
	`Tool` text NOT NULL,
	`Arguments` text NOT NULL,
	`Outcome` text NOT NULL,
	`Error` text,
	`DurationMs` integer,
	`OccurredAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_AuditLog_Uid` ON `AuditLog` (`Uid`);--> statement-breakpoint
CREATE INDEX `IX_AuditLog_Run` ON `AuditLog` (`RunId`);--> statement-breakpoint
CREATE INDEX `IX_AuditLog_Root` ON `AuditLog` (`RootRunId`);--> statement-breakpoint
CREATE INDEX `IX_AuditLog_Agent` ON `AuditLog` (`AgentId`);--> statement-breakpoint
CREATE TABLE `Notices` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Uid` text NOT NULL,
	`Kind` text NOT NULL,
	`Text` text NOT NULL,
	`RootRunId` text,
	`AgentId` text,
	`OccurredAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_Notices_Uid` ON `Notices` (`Uid`);--> statement-breakpoint
CREATE TABLE `RunReceipts` (
	`RunId` text PRIMARY KEY NOT NULL,
	`ParentRunId` text,
	`RootRunId` text NOT NULL,
	`AgentId` text NOT NULL,
	`Trigger` text NOT NULL,
	`Model` text NOT NULL,
	`Status` text NOT NULL,
	`Reason` text,
	`Steps` integer NOT NULL,
	`ToolCalls` integer NOT NULL,
	`InputTokens` integer,
	`CachedInputTokens` integer,
	`OutputTokens` integer,
	`ReasoningTokens` integer,
	`CostMicros` integer,
	`PriceSource` text,
	`QueuedMs` integer NOT NULL,
	`DurationMs` integer NOT NULL,
	`StartedAt` text NOT NULL,
	`FinishedAt` text NOT NULL,
	`Resumes` integer NOT NULL,
	`Error` text
);
--> statement-breakpoint
CREATE INDEX `IX_RunReceipts_Root` ON `RunReceipts` (`RootRunId`);--> statement-breakpoint
CREATE INDEX `IX_RunReceipts_Agent` ON `RunReceipts` (`AgentId`,`StartedAt`);--> statement-breakpoint
CREATE INDEX `IX_RunReceipts_Parent` ON `RunReceipts` (`ParentRunId`) WHERE "ParentRunId" IS NOT NULL;