CREATE TABLE `TaskEvents` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Uid` text NOT NULL,
	`TaskId` text NOT NULL,
	`Kind` text NOT NULL,
	`Actor` text NOT NULL,
	`Text` text NOT NULL,
	`RunId` text NOT NULL,
	`RootRunId` text NOT NULL,
	`OccurredAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_TaskEvents_Uid` ON `TaskEvents` (`Uid`);--> statement-breakpoint
CREATE INDEX `IX_TaskEvents_Task` ON `TaskEvents` (`TaskId`);--> statement-breakpoint
CREATE TABLE `TaskWakes` (
	`RunId` text PRIMARY KEY NOT NULL,
	`TaskId` text NOT NULL,
	`ObjectName` text NOT NULL,
	`Run` text NOT NULL,
	`CreatedAt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `Tasks` (
	`TaskId` text PRIMARY KEY NOT NULL,
	`Title` text NOT NULL,
	`Description` text NOT NULL,
	`Acceptance` text,
	`Creator` text NOT NULL,
	`Assignee` text NOT NULL,
	`Priority` text NOT NULL,
	`Status` text NOT NULL,
	`DueAt` text,
	`Result` text,
	`Reason` text,
	`ParentTaskId` text,
	`Stages` text NOT NULL,
	`Attempts` integer NOT NULL,
	`Rejections` integer NOT NULL,
	`RunId` text,
	`RootRunId` text NOT NULL,
	`CreatedAt` text NOT NULL,
	`UpdatedAt` text NOT NULL,
	`Worker` text,
	`CreatorObject` text,
	`CreatorLane` text NOT NULL,
	`CreatorRunId` text NOT NULL,
	`Depth` integer NOT NULL,
	`LeaseUntil` text,
	`CommentWakes` integer NOT NULL,
	`Told` text NOT NULL,
	`LongTexts` text,
	`Version` integer NOT NULL,
	`Guard` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `IX_Tasks_Unfinished` ON `Tasks` (`UpdatedAt`) WHERE "Status" NOT IN ('done', 'cancelled');--> statement-breakpoint
CREATE INDEX `IX_Tasks_Lease` ON `Tasks` (`LeaseUntil`) WHERE "LeaseUntil" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `IX_Tasks_Due` ON `Tasks` (`DueAt`) WHERE "DueAt" IS NOT NULL AND "Status" NOT IN ('done', 'cancelled');--> statement-breakpoint
CREATE INDEX `IX_Tasks_Assignee` ON `Tasks` (`Assignee`,`Status`);--> statement-breakpoint
CREATE INDEX `IX_Tasks_Root` ON `Tasks` (`RootRunId`);--> statement-breakpoint
CREATE INDEX `IX_Tasks_Parent` ON `Tasks` (`ParentTaskId`) WHERE "ParentTaskId" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `IX_Tasks_Created` ON `Tasks` (`CreatedAt`);