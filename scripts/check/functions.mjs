import { closingIndex, is, openingIndex } from "./tokens.mjs";

const notMethods = new Set(
  "if for while switch catch with function super import return await typeof".split(" "),
);

/**
 * The functions of a token list: declarations, methods and arrows.
 * @returns list of `{name, line, lines, parameters, describes}`; `lines` is the height of the body in braces
 *   (0 without one); `suite` marks a test suite, which is a list of functions and none itself; `rows` marks
 *   what gets its parameters from the function it is handed to
 */
export function findFunctions(tokens) {
  return tokens.flatMap((token, open) => {
    if (!is(token, "(")) return [];
    const close = closingIndex(tokens, open);
    const body = bodyAfter(tokens, close);
    const name = functionName(tokens, open);
    if (body === null || (!body.arrow && name === null)) return [];
    return [describeFunction(tokens, { open, close, body, name })];
  });
}

function describeFunction(tokens, { open, close, body, name }) {
  const first = tokens[open];
  const hasBraces = is(tokens[body.at], "{");
  const last = hasBraces ? tokens[closingIndex(tokens, body.at)] : first;
  return {
    name: body.arrow ? "arrow function" : name,
    line: first.line,
    lines: hasBraces ? last.line - first.line + 1 : 0,
    parameters: countParameters(tokens, open, close),
    suite: body.arrow && isArgumentOf(tokens, open, "describe"),
    rows: body.arrow && (isArgumentOf(tokens, open, "each") || isCallback(tokens, open)),
  };
}

/** An arrow that is handed over on the spot: how many parameters it gets is its caller's choice. */
function isCallback(tokens, open) {
  const before = is(tokens[open - 1], "async") ? tokens[open - 2] : tokens[open - 1];
  return is(before, "(", ",");
}

/** The name before the parameters, or null when this cannot be a declaration or a method. */
function functionName(tokens, open) {
  let at = open - 1;
  if (is(tokens[at], ">")) at = openingAngle(tokens, at) - 1;
  const token = tokens[at];
  if (is(token, "function")) return "function";
  if (is(token, "]")) return "computed method";
  if (token?.kind !== "name" && token?.kind !== "string") return null;
  return notMethods.has(token.text) || is(tokens[at - 1], ".", "?.", "new") ? null : token.text;
}

function openingAngle(tokens, close) {
  let depth = 0;
  for (let at = close; at >= 0; at -= 1) {
    if (is(tokens[at], ">")) depth += 1;
    if (is(tokens[at], "<")) depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}

/** Where the body begins, behind the arrow if there is one; null when no function has its parameters here. */
function bodyAfter(tokens, close) {
  let at = close + 1;
  if (is(tokens[at], ":")) at = afterType(tokens, at + 1);
  if (is(tokens[at], "=>")) return { at: at + 1, arrow: true };
  return is(tokens[at], "{") ? { at, arrow: false } : null;
}

const beforeTypeLiteral = [":", "|", "&", "=>", "<", ",", "is", "extends", "?"];
const typeStops = [";", ",", ")", "}", "]", "=", "=>"];

/** The first token behind a return type. A brace that cannot be part of the type is the body's. */
function afterType(tokens, start) {
  let at = start;
  let angles = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (is(token, "<")) angles += 1;
    if (is(token, ">")) angles -= 1;
    const literal = is(token, "{") && is(tokens[at - 1], ...beforeTypeLiteral);
    if (angles === 0 && !literal && is(token, "{", ...typeStops)) return at;
    at = is(token, "{", "(", "[") ? closingIndex(tokens, at) + 1 : at + 1;
  }
  return at;
}

/** Positional parameters; a pattern counts as one, a `this` type as none. */
function countParameters(tokens, open, close) {
  if (close === open + 1) return 0;
  let count = 1;
  let angles = 0;
  for (let at = open + 1; at < close; at += 1) {
    const token = tokens[at];
    if (is(token, "<")) angles += 1;
    if (is(token, ">") && angles > 0) angles -= 1;
    if (is(token, ",") && angles === 0 && at + 1 < close) count += 1;
    if (is(token, "(", "[", "{")) at = closingIndex(tokens, at);
  }
  return is(tokens[open + 1], "this") && is(tokens[open + 2], ":") ? count - 1 : count;
}

/** Whether the arrow function is an argument of `name(...)`, or of what that call answers. */
function isArgumentOf(tokens, open, name) {
  for (let at = open - 1; at >= 0 && !is(tokens[at], ";", "{"); at -= 1) {
    if (is(tokens[at], name)) return true;
    if (is(tokens[at], ")", "]", "}")) at = openingIndex(tokens, at);
  }
  return false;
}
