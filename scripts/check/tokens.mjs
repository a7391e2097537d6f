/**
 * Cuts TypeScript or JavaScript into tokens, enough for the architecture rules: comments are dropped; strings,
 * templates (with what they interpolate) and regular expressions are single tokens or bracketed by them.
 *
 * A token is `{kind, text, line}`; kind is `name`, `number`, `string`, `template`, `regex` or `sign`. A
 * string's text is its value without quotes.
 */
export function tokenize(source) {
  const state = { source, at: 0, line: 1, tokens: [], templates: [] };
  while (state.at < source.length) readNext(state);
  return state.tokens;
}

/** Longest first. `>>` is left out: it would hide where type arguments end. */
const signs =
  ">>>= ... === !== **= <<= >>= &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= ** <<".split(
    " ",
  );
const nameStart = /[\p{L}_$#@]/u;
const spacePattern = /\s+/y;
const commentPattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const patterns = {
  name: /[#@]?[\p{L}\p{N}_$]+/uy,
  number: /\d[\w.]*/y,
  string: /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/y,
  regex: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y,
};

function readNext(state) {
  const character = state.source[state.at];
  if (skip(state, spacePattern) || skip(state, commentPattern)) return;
  if (character === "`") readTemplate(state);
  else if (character === "}" && state.templates.at(-1) === 0) endInterpolation(state);
  else if (!readWord(state, character)) readSign(state);
}

/** Strings, numbers, names and regular expressions; false when none begins here. */
function readWord(state, character) {
  const kind = wordKind(state, character);
  const text = kind === null ? null : take(state, patterns[kind]);
  if (text === null) return false;
  add(state, { kind, text: kind === "string" ? text.slice(1, -1) : text }, text);
  return true;
}

function wordKind(state, character) {
  if (character === '"' || character === "'") return "string";
  if (character >= "0" && character <= "9") return "number";
  if (nameStart.test(character)) return "name";
  return character === "/" && !endsExpression(state.tokens.at(-1)) && !inTag(state) ? "regex" : null;
}

/** A slash that ends an element, as in `</b>` and `<br />`. */
function inTag({ source, at, tokens }) {
  return source[at + 1] === ">" || (is(tokens.at(-1), "<") && nameStart.test(source[at + 1] ?? ""));
}

function readSign(state) {
  const sign =
    signs.find((candidate) => state.source.startsWith(candidate, state.at)) ?? state.source[state.at];
  if (state.templates.length > 0) countBraces(state, sign);
  add(state, { kind: "sign", text: sign });
}

function countBraces(state, sign) {
  const change = { "{": 1, "}": -1 }[sign] ?? 0;
  state.templates[state.templates.length - 1] += change;
}

/** From a template's start, or behind an interpolation, to the next interpolation or to its end. */
function readTemplate(state) {
  const { source, at } = state;
  let end = at + 1;
  while (end < source.length && source[end] !== "`" && !source.startsWith("${", end)) {
    end += source[end] === "\\" ? 2 : 1;
  }
  const interpolates = source.startsWith("${", end);
  if (interpolates) state.templates.push(0);
  const token = interpolates ? { kind: "sign", text: "${" } : { kind: "template", text: "`" };
  add(state, token, source.slice(at, end + (interpolates ? 2 : 1)));
}

function endInterpolation(state) {
  state.templates.pop();
  state.tokens.push({ kind: "sign", text: "}", line: state.line });
  readTemplate(state);
}

/** Adds a token; `consumed` is how it stands in the source when that differs. */
function add(state, token, consumed = token.text) {
  state.tokens.push({ ...token, line: state.line });
  advance(state, consumed);
}

function advance(state, text) {
  state.at += text.length;
  state.line += text.split("\n").length - 1;
}

function take(state, pattern) {
  pattern.lastIndex = state.at;
  return pattern.exec(state.source)?.[0] ?? null;
}

function skip(state, pattern) {
  const text = take(state, pattern);
  if (text !== null) advance(state, text);
  return text !== null;
}

/** Words after which a value may begin, so that `/` starts a regular expression and `!` negates. */
const operators = new Set(
  "return typeof instanceof in of new delete void throw case do else await yield extends default".split(" "),
);

/** Whether an expression may end with this token. */
export function endsExpression(token) {
  if (token === undefined) return false;
  if (token.kind === "name") return !operators.has(token.text);
  return token.kind !== "sign" || token.text === ")" || token.text === "]";
}

const closings = { "(": ")", "[": "]", "{": "}", "${": "}" };

/** The index of the token that closes the bracket at `index`; the last token when nothing does. */
export function closingIndex(tokens, index) {
  let depth = 0;
  for (let at = index; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at];
    if (kind !== "sign") continue;
    if (closings[text] !== undefined) depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length - 1;
}

/** The index of the token that opens the bracket closed at `index`; 0 when nothing does. */
export function openingIndex(tokens, index) {
  let depth = 0;
  for (let at = index; at >= 0; at -= 1) {
    const { kind, text } = tokens[at];
    if (kind !== "sign") continue;
    if (text === ")" || text === "]" || text === "}") depth += 1;
    else if (closings[text] !== undefined) depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}

/** Whether the token is that sign or word (never a string of the same letters). */
export const is = (token, ...texts) =>
  token !== undefined && (token.kind === "sign" || token.kind === "name") && texts.includes(token.text);
