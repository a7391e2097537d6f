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
/** Longest accepted request body; a chat message of 3 MB of text fits with JSON escapes. */
export const MAX_REQUEST_BYTES = 16_000_000;
