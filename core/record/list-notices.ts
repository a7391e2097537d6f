/** What a person was told. */
import { selectList } from "./columns.ts";
import { boundedLimit } from "./message-filter.ts";
import type { Reader } from "./reader.ts";
import { notices } from "./schema.ts";

export type NoticeView = Readonly<Omit<typeof notices.$inferSelect, "attempts">> & {
  readonly attempts: number;
};

/** Notices, newest first, at most `limit` (1 to 500). Rejects when D1 does. */
export function listNotices(reader: Reader, limit = 200): Promise<NoticeView[]> {
  return reader.all<NoticeView>(
    `SELECT ${selectList(notices, "n", { attempts: 'coalesce(n."Attempts", 0)' })} FROM "Notices" n ORDER BY n."Id" DESC LIMIT ?`,
    boundedLimit(limit, 200, 500),
  );
}
