ALTER TABLE `AdminLog` ADD `RestoredBy` text;--> statement-breakpoint
ALTER TABLE `AdminLog` ADD `RestoredAt` text;