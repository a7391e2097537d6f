-- Full-text search over AgentMessages: substrings of three or more characters, case and accents ignored.
-- The index keeps no text of its own. The pair is a column of it, in brackets so that it can be matched
-- exactly, because filtering afterwards would read every hit of every other pair. rowid is Id.
-- Of a long text the first 100,000 characters are searched. The tokenizer does not fold sharp s, so that is done here.
CREATE VIRTUAL TABLE AgentMessagesFts USING fts5(
  Content, Pair,
  content='', contentless_delete=1, tokenize='trigram remove_diacritics 1'
);
--> statement-breakpoint
CREATE TRIGGER AgentMessages_FtsInsert AFTER INSERT ON AgentMessages BEGIN
  INSERT INTO AgentMessagesFts (rowid, Content, Pair) VALUES (
    NEW.Id,
    replace(replace(substr(NEW.Content, 1, 100000), 'ß', 'ss'), 'ẞ', 'SS'),
    '<' || NEW.PairKey || '>'
  );
END;
--> statement-breakpoint
CREATE TRIGGER AgentMessages_FtsDelete AFTER DELETE ON AgentMessages BEGIN
  DELETE FROM AgentMessagesFts WHERE rowid = OLD.Id;
END;
--> statement-breakpoint
CREATE TRIGGER AgentMessages_FtsUpdate AFTER UPDATE OF Id, Content, PairKey ON AgentMessages BEGIN
  DELETE FROM AgentMessagesFts WHERE rowid = OLD.Id;
  INSERT INTO AgentMessagesFts (rowid, Content, Pair) VALUES (
    NEW.Id,
    replace(replace(substr(NEW.Content, 1, 100000), 'ß', 'ss'), 'ẞ', 'SS'),
    '<' || NEW.PairKey || '>'
  );
END;
