import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { withLock } from "./lock.mjs";
import { root } from "./paths.mjs";
import { Problem } from "./problem.mjs";

/** What every instance reads, and where a missing token is generated into. */
const defaultVarsFile = join(root, ".dev.vars");

const entry =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(?:'([^']*)'|"([^"]*)"|`([^`]*)`|([^#\r\n]*))/gm;

/** Reads the form of `.dev.vars`: `NAME=value` lines, `#` comments, values bare or in one of three quotes. */
export function parseVars(text) {
  const vars = {};
  for (const [, name, single, double, back, bare] of text.matchAll(entry)) {
    const unescaped = double?.replaceAll("\\n", "\n").replaceAll("\\r", "\r");
    vars[name] = single ?? unescaped ?? back ?? (bare ?? "").trim();
  }
  return vars;
}

/**
 * Writes vars so that wrangler's `--env-file` reads back the same values. It expands `$NAME` there, other
 * than in `.dev.vars`, so each `$` is escaped.
 */
export function formatVars(vars) {
  return Object.entries(vars)
    .map(([name, value]) => {
      const quote = ["'", "`"].find((mark) => !value.includes(mark)) ?? '"';
      if (value.includes(quote)) {
        throw new Problem(`The value of ${name} holds all three kinds of quotes; choose one without.`);
      }
      return `${name}=${quote}${value.replaceAll("$", "\\$")}${quote}\n`;
    })
    .join("");
}

/**
 * The vars of an instance, in layers: `.dev.vars`, and above it the named file, whose values win name by name;
 * an empty one there takes a value away. A token that neither has is generated into `.dev.vars`.
 * @param above path of the named file, or undefined for `.dev.vars` alone
 * @param below the file in the place of `.dev.vars`
 */
export async function loadVars(above, log, below = defaultVarsFile) {
  if (above && !existsSync(resolve(above))) {
    throw new Problem(
      `The vars file ${above} does not exist. Create it (NAME=value lines) or unset PARLEY_VARS.`,
    );
  }
  const vars = { ...readVars(below), ...(above ? readVars(resolve(above)) : {}) };
  const token = vars.API_TOKEN || (await withLock(`vars ${root}`, async () => keptToken(below, log)));
  return { ...vars, API_TOKEN: token };
}

function keptToken(file, log) {
  const kept = readVars(file).API_TOKEN;
  if (kept) return kept;
  const token = randomBytes(24).toString("base64url");
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const separator = before === "" || before.endsWith("\n") ? "" : "\n";
  appendFileSync(file, `${separator}API_TOKEN="${token}"\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  log(`generated API_TOKEN into ${relative(process.cwd(), file)}`);
  return token;
}

const readVars = (file) => (existsSync(file) ? parseVars(readFileSync(file, "utf8")) : {});

/** What describes the model server, from the process environment or else from the vars. */
export function openAiSettings(vars, environment = process.env) {
  const pick = (name) => environment[name] || vars[name] || undefined;
  return { apiKey: pick("OPENAI_API_KEY"), baseUrl: pick("OPENAI_BASE_URL"), model: pick("OPENAI_MODEL") };
}

/**
 * The vars that the Worker gets. Model name and address stay out: every value there counts as a secret and
 * would be masked wherever it is mentioned.
 */
export function workerVars(vars, openAi) {
  const { OPENAI_BASE_URL: _address, OPENAI_MODEL: _model, ...rest } = vars;
  return openAi.apiKey ? { ...rest, OPENAI_API_KEY: openAi.apiKey } : rest;
}
