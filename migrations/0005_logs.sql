CREATE TABLE `Logs` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Module` text NOT NULL,
	`Level` text NOT NULL,
	`AgentId` text,
	`RunId` text,
	`Text` text NOT NULL,
	`OccurredAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `IX_Logs_Module` ON `Logs` (`Module`);--> statement-breakpoint
CREATE INDEX `IX_Logs_Trouble` ON `Logs` (`Id`) WHERE "Level" IN ('warn', 'error');