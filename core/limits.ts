/**
 * Limits that production enforces and the local runtime does not, and the product's own caps.
 * Sources: Cloudflare's limits pages for D1, Durable Objects and Workers.
 */

/** A D1 or Durable Object row holds at most 2,000,000 bytes; longer texts go to R2 or into chunks. */
export const MAX_ROW_TEXT_BYTES = 1_900_000;
/** Of a text that lies in R2, this many bytes stay in the row: shown in lists and indexed. */
export const ROW_EXCERPT_BYTES = 100_000;
/** Audit arguments are kept up to this many characters. */
export const AUDIT_ARGUMENT_CHARS = 4_000;
/** Texts longer than this are cut in lists of messages. */
export const LIST_TEXT_CHARS = 20_000;
/** A search with only short words looks at this many of the newest rows. */
export const SHORT_SEARCH_ROWS = 2_000;
/** A tool call that waits for a person's approval is refused after that many hours. */
export const APPROVAL_HOURS = 72;
/** Of such a call's arguments a list shows this many characters. */
export const APPROVAL_ARGUMENT_CHARS = 100_000;
/** Decided approvals stay in their table that long; the audit keeps them. */
export const APPROVAL_RETENTION_DAYS = 30;
/** One tick of a tool job, in seconds. */
export const JOB_SECONDS = 300;
/** What a tick says of itself, in characters. */
export const JOB_SUMMARY_CHARS = 1_000;
/** Messages of one job that may wait for an agent together, in characters. */
export const WAKE_CHARS = 200_000;
/** Ticks stay on record that long, and at most so many of each job. */
export const TICK_RETENTION_DAYS = 30;
export const KEPT_TICKS = 5_000;
/** Log lines stay in D1 that long. */
export const LOG_RETENTION_DAYS = 14;
/** A log line's text in D1, in characters. */
export const LOG_TEXT_CHARS = 4_000;
/** Lines that go to D1: of one object in a minute, and of one run. The console gets all of them. */
export const LOG_LINES_PER_MINUTE = 120;
export const LOG_LINES_PER_RUN = 200;
/** Longest accepted body of a webhook. */
export const HOOK_BODY_BYTES = 1_000_000;
/** Longest accepted request body; a chat message of 3 MB of text fits with JSON escapes. */
export const MAX_REQUEST_BYTES = 16_000_000;
