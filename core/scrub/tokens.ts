/** Credentials that are recognised by the shape of one unbroken run of characters. */
import type { Range } from "./spans.ts";

type Report = (start: number, end: number) => void;

/** Shorter runs hold none of these, and up to {@link LONG_RUN} those without digits or capitals. */
const MIN_TOKEN_RUN = 14;
const LONG_RUN = 23;
const UNLIKE_A_WORD = /\d|[A-Z]{6}/;

/**
 * Each pattern takes everything up to the end of its characters, so that a run is read once whatever it
 * holds; the first group is what must look random.
 */
const BODY = "([A-Za-z0-9_-]{10,})";
const START = "(?<![A-Za-z0-9])";
/** Prefixes that occur in ordinary identifiers and file names too. */
const AMBIGUOUS = new RegExp(
  `${START}(?:sk-|[sr]k_(?:live|test|prod)_|github_pat_|npm_|pypi-|hf_|gsk_|xai-|pplx-|r8_|cf(?:k|ut|at|ast)_|do[opr]_v1_|shp(?:at|ss|ca|pa)_|dckr_pat_|figd_|ntn_|lin_api_|sntry[su]_|rubygems_)${BODY}`,
  "g",
);
/** Prefixes that nothing else has. */
const DISTINCT = new RegExp(
  `${START}(?:gh[oprsu]_|gl(?:pat|rt|dt|ptt|ft)-|xox[a-z](?:\\.xox[a-z])?-|xapp-|GOCSPX-|AIza(?=[\\w-]{30}))${BODY}`,
  "g",
);
const OTHERS = [
  /(?<![A-Za-z0-9])(?:AKIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16,}/g,
  /(?<![A-Za-z0-9])ASIA[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])parley_[0-9a-f]{32,}/g,
  /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{20,}={0,2}/g,
];
/** What every run with one of these contains: a cheap question before the dear ones. */
const HINT =
  /sk[-_]|rk_|npm_|pypi-|hf_|gsk_|xai-|pplx-|r8_|cfk_|cf[ua]t_|cfast_|_v1_|shp.._|_pat_|figd_|ntn_|lin_api_|sntry|rubygems_|gh._|gl[a-z]{2,4}-|xox|xapp-|GOCSPX-|AIza|AKIA|ABIA|ACCA|A3T|ASIA|SK[0-9a-f]{4}|AC[0-9a-f]{4}|whsec_|parley_|\/services\/T|\/webhooks\//;
const SLACK_HOOK = /(?<=\/services\/)T[A-Z0-9]{5,20}\/B[A-Z0-9]{5,20}\/[A-Za-z0-9]{12,64}/g;
const DISCORD_HOOK = /(?<=\/webhooks\/\d{15,22}\/)[A-Za-z0-9_-]{40,}/g;

const JWT = /eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/y;
const SENDGRID = /[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/y;
const WORD = /[A-Za-z0-9_-]*/y;
const BEARER_VALUE = /[A-Za-z0-9._~+/-]+={0,2}/y;
const TELEGRAM_BODY = /A(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{33,}/y;
const TELEGRAM_ID = /(?<![A-Za-z0-9])(?:bot)?(\d{6,12}):$/;
const PLACEHOLDER = /^[xX*._-]+$/;

/** Reports credentials in the run `[start, end)` of base64 characters, and those that it is a part of. */
export function findTokens(text: string, { start, end }: Range, report: Report): void {
  if (end - start < MIN_TOKEN_RUN) return;
  inContext(text, { start, end }, report);
  const run = text.slice(start, end);
  const isLikely = run.length >= LONG_RUN || UNLIKE_A_WORD.test(run);
  if (isLikely && HINT.test(run)) findPrefixed(run, start, report);
}

function findPrefixed(run: string, start: number, report: Report): void {
  prefixed(run, AMBIGUOUS, (from, to, body) => looksRandom(body) && report(start + from, start + to));
  prefixed(run, DISTINCT, (from, to, body) => {
    if ((/\d/.test(body) || longestWord(body) >= 20) && !PLACEHOLDER.test(body))
      report(start + from, start + to);
  });
  for (const pattern of OTHERS) {
    for (const match of run.matchAll(pattern))
      report(start + match.index, start + match.index + match[0].length);
  }
  prefixed(run, SLACK_HOOK, (from, to) => report(start + from, start + to));
  prefixed(run, DISCORD_HOOK, (from, to) => report(start + from, start + to));
}

/** Whether a string has the mixture of characters that words, names and placeholders do not have. */
export function looksRandom(value: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  for (const [word] of value.matchAll(/[A-Za-z0-9]{12,}/g)) {
    if (word.length >= 20 || /\d[A-Za-z]+\d|\d{4}/.test(word)) return true;
  }
  return value.length >= 20 && /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

function longestWord(value: string): number {
  let longest = 0;
  for (const [word] of value.matchAll(/[A-Za-z0-9]+/g)) longest = Math.max(longest, word.length);
  return longest;
}

function prefixed(
  run: string,
  pattern: RegExp,
  found: (from: number, to: number, body: string) => void,
): void {
  for (const match of run.matchAll(pattern)) {
    found(match.index, match.index + match[0].length, match[1] ?? match[0]);
  }
}

/** Credentials that the characters before or after the run belong to. */
function inContext(text: string, { start, end }: Range, report: Report): void {
  const before = text[start - 1];
  if (before === ".") {
    const sendgrid = text.slice(start - 3, start) === "SG." ? endOf(SENDGRID, text, start) : 0;
    if (sendgrid > 0) report(start - 3, sendgrid);
    if (text.slice(start - 5, start) === "ya29.") report(start - 5, endOf(WORD, text, start));
  }
  if (before === ":") afterColon(text, { start, end }, report);
  if (before === " ") afterSpace(text, { start, end }, report);
  if (text.startsWith("eyJ", start)) {
    const jwt = endOf(JWT, text, start);
    if (jwt > 0) report(start, jwt);
  }
}

function afterColon(text: string, { start, end }: Range, report: Report): void {
  const head = text.slice(Math.max(0, start - 36), start);
  const id = TELEGRAM_ID.exec(head)?.[1];
  const telegram = id === undefined ? 0 : endOf(TELEGRAM_BODY, text, start);
  if (id !== undefined && telegram > 0) report(start - 1 - id.length, telegram);
  if (/AC[0-9a-f]{32}:$/.test(head) && /^[0-9a-f]{32}$/.test(text.slice(start, end))) report(start, end);
}

function afterSpace(text: string, { start, end }: Range, report: Report): void {
  if (text.slice(start - 7, start).toLowerCase() !== "bearer ") return;
  if (looksRandom(text.slice(start, end))) report(start, endOf(BEARER_VALUE, text, start));
}

/** Where the sticky pattern ends when it matches at `at`; 0 if it does not. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}
