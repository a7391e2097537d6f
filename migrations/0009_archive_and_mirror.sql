CREATE TABLE `ArchiveIndex` (
	`Name` text NOT NULL,
	`Part` integer NOT NULL,
	PRIMARY KEY(`Name`, `Part`)
);
--> statement-breakpoint
CREATE TABLE `ArchiveParts` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`TableName` text NOT NULL,
	`Day` text NOT NULL,
	`Part` integer NOT NULL,
	`Keys` text,
	`Rows` integer NOT NULL,
	`FirstId` integer,
	`LastId` integer,
	`CreatedAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_ArchiveParts_Name` ON `ArchiveParts` (`TableName`,`Day`,`Part`);--> statement-breakpoint
CREATE UNIQUE INDEX `UX_ArchiveParts_Open` ON `ArchiveParts` (`TableName`) WHERE "Keys" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `IX_ArchiveParts_First` ON `ArchiveParts` (`TableName`,`FirstId`);--> statement-breakpoint
CREATE TABLE `Mirror` (
	`Id` integer PRIMARY KEY NOT NULL,
	`Target` text NOT NULL,
	`Backfill` text NOT NULL,
	`Written` integer NOT NULL,
	`Cut` integer NOT NULL,
	`LastAt` text,
	`LastError` text,
	`FailingSince` text,
	`LeaseUntil` text
);
--> statement-breakpoint
CREATE TABLE `MirrorQueue` (
	`Id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`TableName` text NOT NULL,
	`RowKey` text NOT NULL,
	`Changes` integer NOT NULL,
	`QueuedAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `UX_MirrorQueue_Row` ON `MirrorQueue` (`TableName`,`RowKey`);