/** Reading a config file: JSON with comments and trailing commas, scenarios beside it. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import stripJsonComments from "strip-json-comments";

/**
 * Reads the file and puts the text of each scenario in place of its path: a `model.script` that ends in
 * `.json` is a path relative to the config file. Nothing else is checked.
 * @param {string} path
 * @returns {{ok: true, document: unknown} | {ok: false, problems: {path: string, message: string}[]}}
 */
export function loadConfigFile(path) {
  const text = readText(path);
  if (!text.ok) return { ok: false, problems: [{ path: "", message: text.message }] };
  const parsed = parseJsonWithComments(text.text);
  if (!parsed.ok) return { ok: false, problems: [{ path: "", message: `${path}${parsed.message}` }] };
  const problems = fillInScenarios(parsed.value, dirname(resolve(path)));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, document: parsed.value };
}

function readText(path) {
  try {
    return { ok: true, text: readFileSync(path, "utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    return { ok: false, message: `Cannot read ${path}: ${reason(error)}` };
  }
}

function reason(error) {
  if (error.code === "ENOENT") return "there is no such file";
  return error.code === "EISDIR" ? "it is a folder" : error.message;
}

function parseJsonWithComments(text) {
  const plain = stripJsonComments(text, { trailingCommas: true });
  try {
    return { ok: true, value: JSON.parse(plain) };
  } catch (error) {
    return {
      ok: false,
      message: `${place(plain, error.message)} is not JSON: ${firstClause(error.message)}`,
    };
  }
}

/** `:line:column` of the fault, as far as the parser tells; comments were replaced by blanks, so it holds. */
function place(text, message) {
  const position = /at position (\d+)/.exec(message);
  if (position === null) return /end of JSON/.test(message) ? " (at its end)" : "";
  const lines = text.slice(0, Number(position[1])).split("\n");
  return `:${lines.length}:${lines.at(-1).length + 1}`;
}

/** The parser's message without its excerpt of the file, which could show a secret. */
function firstClause(message) {
  return message.replace(/,? ?(\.\.\.)?".*$/s, "").replace(/ in JSON at position.*$/s, "");
}

function fillInScenarios(document, folder) {
  const agents = Array.isArray(document?.agents) ? document.agents : [];
  return agents.flatMap((agent, index) => {
    const script = agent?.model?.script;
    if (typeof script !== "string" || !script.endsWith(".json")) return [];
    const text = readText(resolve(folder, script));
    if (!text.ok) return [{ path: `agents[${index}].model.script`, message: text.message }];
    agent.model.script = text.text;
    return [];
  });
}
