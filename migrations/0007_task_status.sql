CREATE INDEX `IX_Approvals_Decided` ON `Approvals` (`DecidedAt`) WHERE "DecidedAt" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `IX_Tasks_Status` ON `Tasks` (`Status`,`CreatedAt`,`TaskId`);