ALTER TABLE `Notices` ADD `Delivery` text;--> statement-breakpoint
ALTER TABLE `Notices` ADD `Channel` text;--> statement-breakpoint
ALTER TABLE `Notices` ADD `DeliveredAt` text;--> statement-breakpoint
ALTER TABLE `Notices` ADD `Attempts` integer;--> statement-breakpoint
ALTER TABLE `Notices` ADD `NextAttemptAt` text;--> statement-breakpoint
ALTER TABLE `Notices` ADD `LastError` text;--> statement-breakpoint
CREATE INDEX `IX_Notices_Pending` ON `Notices` (`NextAttemptAt`) WHERE "Delivery" IS NULL;--> statement-breakpoint
-- What was told before channels worked is not told again.
UPDATE `Notices` SET `Delivery` = 'expired';
