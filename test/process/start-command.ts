import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

export interface StartCommand {
  readonly child: ChildProcess;
  /** Settles when both lines are there; rejects with what it printed when it ends before. */
  readonly ready: Promise<{ workerUrl: string; link: URL }>;
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  readonly output: { stdout: string; stderr: string };
  /** A signal to every process of its group. */
  signalGroup(name: NodeJS.Signals): void;
}

/** Runs what `npm start` runs, as the leader of a process group of its own. */
export function runStart(environment: Readonly<Record<string, string>>): StartCommand {
  const child = spawn("node", ["scripts/start.mjs"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  const output = { stdout: "", stderr: "" };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const exited = once(child, "exit").then(([code, signal]) => code ?? signal);
  const ready = new Promise<{ workerUrl: string; link: URL }>((settle, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
      const found = /^worker (\S+)\nready (\S+)\n/m.exec(output.stdout);
      if (found?.[1] && found[2]) settle({ workerUrl: found[1], link: new URL(found[2]) });
    });
    void exited.then(() => reject(new Error(`ended early: ${output.stderr}`)));
  });
  ready.catch(() => undefined);
  return { child, ready, exited, output, signalGroup: (name) => signalGroup(child, name) };
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) throw new Error("It was not started.");
  process.kill(-child.pid, name);
}
