import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

export interface DemoCommand {
  /** Settles with the viewer's link once the output holds this text; rejects when the demo ends before. */
  shows(text: string): Promise<URL>;
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  readonly output: { stdout: string; stderr: string };
  /** SIGTERM to the command itself. */
  end(): void;
}

/** Runs what `npm run demo` runs. */
export function runDemo(args: readonly string[], environment: Readonly<Record<string, string>>): DemoCommand {
  const child = spawn("node", ["scripts/demo.mjs", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const exited = once(child, "exit").then(([code, signal]) => code ?? signal);
  const shows = (text: string) =>
    new Promise<URL>((settle, reject) => {
      const look = () => {
        const link = /(http:\S+#token=\S+)/.exec(output.stdout)?.[1];
        if (link !== undefined && output.stdout.includes(text)) settle(new URL(link));
      };
      child.stdout.on("data", look);
      void exited.then(() => reject(new Error(`ended early: ${output.stdout}${output.stderr}`)));
      look();
    });
  return { shows, exited, output, end: () => child.kill("SIGTERM") };
}
