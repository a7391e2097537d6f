/** The one place that runs wrangler for a deployment. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { childEnvironment, nodeBinary, root } from "../instance/paths.mjs";

const cli = join(root, "node_modules", "wrangler", "wrangler-dist", "cli.js");
/** As a command: its own launcher would start it on the Node that started us, which may be too old. */
export const ownWrangler = [nodeBinary(), "--no-warnings", cli];

const LIMIT_MS = 10 * 60_000;
/** Of a failed command's own words, enough to see why. */
const SHOWN_LINES = 25;

/** A wrangler command that failed. `text` is all that it said, without secrets. */
export class WranglerError extends Error {
  name = "WranglerError";

  constructor(message, text) {
    super(message);
    this.text = text;
  }
}

/**
 * @param options `command` (the executable and its first arguments), `mask(text)` takes secrets out of texts,
 *   `limit(args)` a signal that ends a command which hangs, `environment()` on top of ours, `execute(command, options)` runs one
 *   as a process: `{stdout, stderr, problem}`
 * @returns `run(args, {cwd})`: `{text, json(), entries}`; throws {@link WranglerError}. Text is its stdout, entries are
 *   what it tells programs (WRANGLER_OUTPUT_FILE_PATH)
 */
export function createWrangler({
  command = ownWrangler,
  mask,
  limit = defaultLimit,
  environment = () => ({}),
  execute = asProcess,
}) {
  return {
    run: async (args, { cwd = root } = {}) => {
      const folder = mkdtempSync(join(tmpdir(), "parley-deploy-"));
      const outputFile = join(folder, "output.ndjson");
      try {
        const ended = await execute([...command, ...args], {
          cwd,
          signal: limit(args),
          killSignal: "SIGKILL",
          env: childEnvironment({
            ...environment(),
            NO_COLOR: "1",
            FORCE_COLOR: "0",
            WRANGLER_OUTPUT_FILE_PATH: outputFile,
          }),
        });
        if (ended.problem !== null) throw failure(args, ended, mask);
        return answer(args, ended.stdout, readEntries(outputFile));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

const defaultLimit = () => AbortSignal.timeout(LIMIT_MS);

function asProcess([file, ...args], options) {
  const output = { stdout: "", stderr: "" };
  return new Promise((settle) => {
    const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (piece) => {
        output[name] += piece;
      });
    }
    let problem = null;
    child.once("error", (error) => {
      problem = error.name === "AbortError" ? "did not come to an end and was stopped" : error.message;
    });
    child.once("close", (code) => {
      const clean = {
        stdout: stripVTControlCharacters(output.stdout),
        stderr: stripVTControlCharacters(output.stderr),
      };
      settle({ ...clean, problem: problem ?? (code === 0 ? null : `ended with code ${code}`) });
    });
  });
}

function answer(args, text, entries) {
  return { text, entries, json: () => parseJson(args, text) };
}

/** Banners may stand before the JSON. */
function parseJson(args, text) {
  const start = text.search(/^[[{]/m);
  try {
    return JSON.parse(start < 0 ? text : text.slice(start));
  } catch (cause) {
    throw new WranglerError(`wrangler ${nameOf(args)} did not answer with JSON.`, text, { cause });
  }
}

function readEntries(file) {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

function failure(args, { stdout, stderr, problem }, mask) {
  const text = mask(`${stderr}\n${stdout}`).trim();
  const shown = text.split("\n").filter((line) => line.trim() !== "");
  const lines = shown.slice(0, SHOWN_LINES).map((line) => `    ${line}`);
  return new WranglerError([`wrangler ${nameOf(args)} ${problem}.`, ...lines].join("\n"), text);
}

/** The command without its options, whose values are nobody's business. */
function nameOf(args) {
  const first = args.findIndex((arg) => arg.startsWith("-"));
  return args.slice(0, first < 0 ? undefined : first).join(" ");
}
