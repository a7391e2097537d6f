CREATE TABLE `JobTicks` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Uid` text NOT NULL,
	`AgentId` text NOT NULL,
	`JobId` text NOT NULL,
	`Kind` text NOT NULL,
	`Cause` text NOT NULL,
	`Outcome` text NOT NULL,
	`Summary` text,
	`RunId` text,
	`Ticks` integer NOT NULL,
	`ScheduledAt` text NOT NULL,
	`StartedAt` text NOT NULL,
	`FinishedAt` text NOT NULL,
	`DurationMs` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_JobTicks_Uid` ON `JobTicks` (`Uid`);--> statement-breakpoint
CREATE INDEX `IX_JobTicks_Job` ON `JobTicks` (`AgentId`,`JobId`);