CREATE TABLE `Approvals` (
	`Uid` text PRIMARY KEY NOT NULL,
	`AgentId` text NOT NULL,
	`RunId` text NOT NULL,
	`RootRunId` text NOT NULL,
	`TaskId` text,
	`Tool` text NOT NULL,
	`Arguments` text NOT NULL,
	`Truncated` integer NOT NULL,
	`Decision` text,
	`Comment` text NOT NULL,
	`Outcome` text,
	`RequestedAt` text NOT NULL,
	`ExpiresAt` text NOT NULL,
	`DecidedAt` text
);
--> statement-breakpoint
CREATE INDEX `IX_Approvals_Waiting` ON `Approvals` (`ExpiresAt`) WHERE "Decision" IS NULL;