import { is, tokenize } from "./tokens.mjs";

/**
 * Every module that a source names: imports, re-exports, dynamic imports, `import("...")` types and require.
 * @returns list of `{from, line, typeOnly}`
 */
export function findImports(source) {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => readImport(tokens, token, index) ?? []);
}

function readImport(tokens, token, index) {
  if (token.kind !== "string") return null;
  const before = tokens[index - 1];
  const found = (typeOnly) => ({ from: token.text, line: token.line, typeOnly });
  if (is(before, "(") && is(tokens[index - 2], "import", "require")) {
    return found(is(tokens[index - 3], "typeof", ":", "<", "|", "&"));
  }
  if (is(before, "import")) return found(false);
  if (!is(before, "from")) return null;
  const start = statementStart(tokens, index - 1);
  return start === -1 ? null : found(is(tokens[start + 1], "type"));
}

/** The `import` or `export` that a `from` belongs to, or -1 when `from` is an ordinary name. */
function statementStart(tokens, from) {
  for (let at = from - 1; at >= 0; at -= 1) {
    if (is(tokens[at], "import", "export") && !is(tokens[at - 1], ".")) return at;
    const clause =
      tokens[at].kind === "name" || tokens[at].kind === "string" || is(tokens[at], "{", "}", ",", "*");
    if (!clause) return -1;
  }
  return -1;
}
