CREATE TABLE `AdminLog` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`Uid` text NOT NULL,
	`Actor` text NOT NULL,
	`Action` text NOT NULL,
	`Target` text NOT NULL,
	`Details` text NOT NULL,
	`OccurredAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_AdminLog_Uid` ON `AdminLog` (`Uid`);--> statement-breakpoint
CREATE INDEX `IX_AdminLog_Actor` ON `AdminLog` (`Actor`);--> statement-breakpoint
CREATE INDEX `IX_AdminLog_Action` ON `AdminLog` (`Action`);--> statement-breakpoint
CREATE INDEX `IX_AdminLog_ActorAction` ON `AdminLog` (`Actor`,`Action`);--> statement-breakpoint
CREATE INDEX `IX_Notices_Root` ON `Notices` (`RootRunId`) WHERE "RootRunId" IS NOT NULL;--> statement-breakpoint
-- The log of administration only grows: a row that is there is neither changed, nor deleted, nor replaced.
CREATE TRIGGER AdminLog_NoUpdate BEFORE UPDATE ON AdminLog BEGIN
  SELECT RAISE(ABORT, 'AdminLog is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER AdminLog_NoDelete BEFORE DELETE ON AdminLog BEGIN
  SELECT RAISE(ABORT, 'AdminLog is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER AdminLog_NoReplace BEFORE INSERT ON AdminLog
WHEN EXISTS (SELECT 1 FROM AdminLog WHERE Uid = NEW.Uid OR Id = NEW.Id) BEGIN
  SELECT RAISE(IGNORE);
END;
