/** Names of the headers by which automatic mail is known, in lower case. */

export const AUTO_REPLY_MARKS: readonly string[] = [
  "x-autoreply",
  "x-autorespond",
  "x-auto-reply",
  "x-autoresponse",
];

export const MARKS: readonly string[] = [
  ...["auto-submitted", "precedence", "list-id", "x-auto-response-suppress", "return-path", "content-type"],
  ...AUTO_REPLY_MARKS,
];
