/** What a push would change, for a terminal. */

const SIGNS = { added: "+", removed: "-", changed: "~" };
const SHORT = 100;
const CONTEXT = 30;
const SHOWN_LINES = 40;

/**
 * One block for each document that differs; longer texts line by line, as far as they differ.
 * @param {{agentId: string | null, kind: string, changes: {path: string, kind: string, before: string | null, after: string | null}[]}[]} documents
 * @returns {string[]} lines
 */
export function changeLines(documents) {
  return documents.flatMap(({ agentId, kind, changes }) => {
    const name = agentId === null ? "instance" : `agent ${agentId}`;
    if (kind === "removed") return [`- ${name}: taken out of service`];
    return [`${SIGNS[kind]} ${name}`, ...changes.flatMap(changeOf)];
  });
}

function changeOf({ path, kind, before, after }) {
  const head = `    ${SIGNS[kind]} ${path}`;
  const texts = [before, after].filter((text) => text !== null).map(printable);
  if (kind !== "changed") return [`${head}: ${shortened(texts[0] ?? "", SHORT)}`];
  const [old = "", fresh = ""] = texts;
  if (old.includes("\n") || fresh.includes("\n")) return [`${head}:`, ...lineChanges(old, fresh)];
  if (old.length <= SHORT && fresh.length <= SHORT) return [`${head}: ${old} -> ${fresh}`];
  const from = Math.max(0, sharedStart(old, fresh) - CONTEXT);
  return [`${head}:`, `        - ${excerpt(old, from)}`, `        + ${excerpt(fresh, from)}`];
}

/** The lines between what both begin and end with. */
function lineChanges(before, after) {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const start = sharedStart(old, fresh);
  const end = Math.min(
    sharedStart(old.toReversed(), fresh.toReversed()),
    Math.min(old.length, fresh.length) - start,
  );
  const side = (lines, sign) => {
    const changed = lines.slice(start, lines.length - end);
    const shown = changed.slice(0, SHOWN_LINES).map((line) => `        ${sign} ${shortened(line, SHORT)}`);
    const more = changed.length - shown.length;
    return more > 0 ? [...shown, `        ${sign} ... ${more} more lines`] : shown;
  };
  return [...side(old, "-"), ...side(fresh, "+")];
}

/** How many items (or characters) from the beginning on are the same. */
function sharedStart(a, b) {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}

function excerpt(text, from) {
  return `${from > 0 ? "..." : ""}${shortened(text.slice(from), SHORT)}`;
}

function shortened(text, chars) {
  return text.length > chars ? `${text.slice(0, chars)}...` : text;
}

/** A text from a config must not steer the terminal. */
function printable(text) {
  return text.replace(/[^\P{Cc}\n\t]/gu, "?");
}
