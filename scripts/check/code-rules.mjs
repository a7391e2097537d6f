import { findFunctions } from "./functions.mjs";
import { closingIndex, endsExpression, is, tokenize } from "./tokens.mjs";

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 80;
const MAX_PARAMETERS = 3;

/**
 * Sizes, and the ways around the type checker.
 * @param elements whether angle brackets may begin elements, as in `.tsx`, where they cannot cast
 * @returns a list of `{line, message}`
 */
export function checkCode(source, elements = false) {
  const tokens = tokenize(source);
  return [...checkFileSize(source), ...checkFunctions(tokens), ...checkTypes(tokens, elements)];
}

function checkFileSize(source) {
  const lines = source.trimEnd().split("\n").length;
  return lines > MAX_FILE_LINES ? [{ line: 1, message: `has ${lines} lines, over ${MAX_FILE_LINES}` }] : [];
}

function checkFunctions(tokens) {
  return findFunctions(tokens).flatMap(({ name, line, lines, parameters, suite, rows }) => [
    ...(lines > MAX_FUNCTION_LINES && !suite
      ? [{ line, message: `${name} has ${lines} lines, over ${MAX_FUNCTION_LINES}` }]
      : []),
    ...(parameters > MAX_PARAMETERS && !rows
      ? [{ line, message: `${name} has ${parameters} parameters, over ${MAX_PARAMETERS}; take an object` }]
      : []),
  ]);
}

function checkTypes(tokens, elements) {
  const renames = renamingRanges(tokens);
  return tokens.flatMap((token, index) => {
    const message = typeProblem(tokens, index, { renames, elements });
    return message === null ? [] : [{ line: token.line, message }];
  });
}

function typeProblem(tokens, index, { renames, elements }) {
  const [before, token] = [tokens[index - 1], tokens[index]];
  if (is(token, "as"))
    return isCast(tokens, index, renames) ? "casts with `as`; check the value instead" : null;
  if (is(token, "any") && is(before, ":", "<", "|", "&", "as", "satisfies"))
    return "says `any`; use `unknown`";
  if (is(token, "!") && endsExpression(before)) return "asserts with `!`; check for null";
  if (!elements && is(token, "<") && isAngleCast(tokens, index))
    return "casts with `<...>`; check the value instead";
  return null;
}

function isCast(tokens, index, renames) {
  const before = tokens[index - 1];
  const value = endsExpression(before) || is(before, "}");
  if (
    !value ||
    is(before, ".", "?.") ||
    is(tokens[index + 1], "const", "(", ":", "=", ",", ")", ";", ".", "?")
  )
    return false;
  return !renames.some(([from, to]) => index > from && index < to);
}

/** Where `as` renames: the braces of imports and exports, `* as`, and the key of a mapped type. */
function renamingRanges(tokens) {
  return tokens.flatMap((token, index) => {
    if (is(token, "import", "export")) return renamingClause(tokens, index);
    const mapped = is(token, "[") && tokens[index + 1]?.kind === "name" && is(tokens[index + 2], "in");
    return mapped ? [[index, closingIndex(tokens, index)]] : [];
  });
}

function renamingClause(tokens, index) {
  let at = index + 1;
  while (tokens[at]?.kind === "name" || is(tokens[at], ",", "*")) {
    if (is(tokens[at], "const", "function", "class", "default", "interface", "async", "let")) return [];
    at += 1;
  }
  const end = is(tokens[at], "{") ? closingIndex(tokens, at) : at;
  return is(tokens[at], "{") || tokens[at]?.kind === "string" ? [[index, end]] : [];
}

/** `<Type>value`: an angle bracket where a value must begin, and no parameters behind it. */
function isAngleCast(tokens, index) {
  const before = tokens[index - 1];
  if (!is(before, "=", "(", ",", "return", "=>", "[", "?", "??", "||", "&&")) return false;
  let at = index;
  for (let depth = 0; at < tokens.length; at += 1) {
    if (is(tokens[at], "<")) depth += 1;
    if (is(tokens[at], ">")) depth -= 1;
    if (depth === 0) break;
  }
  return tokens[at + 1] !== undefined && !is(tokens[at + 1], "(");
}
