/** What a person is told of a job: that it keeps going wrong, and that it works again. */
import type { NoticeRow } from "../record/rows.ts";

interface JobNews {
  readonly agentId: string;
  readonly jobId: string;
  /** The tick's name, and when it was over (ISO 8601). */
  readonly uid: string;
  readonly at: string;
  /** Ticks in a row that went wrong, before this one and with it. */
  readonly failuresBefore: number;
  readonly failures: number;
  /** What the tick says of itself, scrubbed. */
  readonly summary: string;
}

/** One tick that fails may be the network's; so many in a row are not. */
const TELL_AFTER = 3;

/** Null when there is nothing new to tell: a job that goes on failing says so once. */
export function jobNotice(news: JobNews): NoticeRow | null {
  const { agentId, jobId, failuresBefore, failures } = news;
  const job = `Job ${jobId} of ${agentId}`;
  if (failuresBefore < TELL_AFTER && failures >= TELL_AFTER)
    return noticeRow(
      news,
      "job_failing",
      `${job} has gone wrong ${failures} times in a row: ${news.summary}`,
    );
  if (failuresBefore >= TELL_AFTER && failures === 0)
    return noticeRow(
      news,
      "job_recovered",
      `${job} works again, after it had gone wrong ${failuresBefore} times.`,
    );
  return null;
}

function noticeRow({ uid, agentId, at }: JobNews, kind: string, text: string): NoticeRow {
  return { uid: `${kind}:${uid}`, kind, text, rootRunId: null, agentId, occurredAt: at };
}
