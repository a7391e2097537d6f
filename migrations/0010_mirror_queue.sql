-- Rows of the record that the mirror has still to copy, new ones and changed ones. While there is no mirror, the table Mirror
-- is empty and nothing is written. An upsert rather than OR REPLACE: a conflict clause of the outer statement would override that.
CREATE TRIGGER AgentMessages_MirrorInsert AFTER INSERT ON AgentMessages WHEN EXISTS (SELECT 1 FROM Mirror) BEGIN
  INSERT INTO MirrorQueue (TableName, RowKey, Changes, QueuedAt)
  VALUES ('AgentMessages', NEW.Id, 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ON CONFLICT (TableName, RowKey) DO UPDATE SET Changes = Changes + 1;
END;
--> statement-breakpoint
CREATE TRIGGER AgentMessages_MirrorUpdate AFTER UPDATE ON AgentMessages WHEN EXISTS (SELECT 1 FROM Mirror) BEGIN
  INSERT INTO MirrorQueue (TableName, RowKey, Changes, QueuedAt)
  VALUES ('AgentMessages', NEW.Id, 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ON CONFLICT (TableName, RowKey) DO UPDATE SET Changes = Changes + 1;
END;
--> statement-breakpoint
CREATE TRIGGER AuditLog_MirrorInsert AFTER INSERT ON AuditLog WHEN EXISTS (SELECT 1 FROM Mirror) BEGIN
  INSERT INTO MirrorQueue (TableName, RowKey, Changes, QueuedAt)
  VALUES ('AuditLog', NEW.Id, 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ON CONFLICT (TableName, RowKey) DO UPDATE SET Changes = Changes + 1;
END;
--> statement-breakpoint
CREATE TRIGGER AuditLog_MirrorUpdate AFTER UPDATE ON AuditLog WHEN EXISTS (SELECT 1 FROM Mirror) BEGIN
  INSERT INTO MirrorQueue (TableName, RowKey, Changes, QueuedAt)
  VALUES ('AuditLog', NEW.Id, 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ON CONFLICT (TableName, RowKey) DO UPDATE SET Changes = Changes + 1;
END;
--> statement-breakpoint
CREATE TRIGGER RunReceipts_MirrorInsert AFTER INSERT ON RunReceipts WHEN EXISTS (SELECT 1 FROM Mirror) BEGIN
  INSERT INTO MirrorQueue (TableName, RowKey, Changes, QueuedAt)
  VALUES ('RunReceipts', NEW.RunId, 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ON CONFLICT (TableName, RowKey) DO UPDATE SET Changes = Changes + 1;
END;
--> statement-breakpoint
CREATE TRIGGER RunReceipts_MirrorUpdate AFTER UPDATE ON RunReceipts WHEN EXISTS (SELECT 1 FROM Mirror) BEGIN
  INSERT INTO MirrorQueue (TableName, RowKey, Changes, QueuedAt)
  VALUES ('RunReceipts', NEW.RunId, 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ON CONFLICT (TableName, RowKey) DO UPDATE SET Changes = Changes + 1;
END;
