import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import { type Scratch, scratchFolder } from "./instance.ts";
import { runStart, type StartCommand } from "./start-command.ts";

const token = "start-test-token-0123456789";
const scratches: Scratch[] = [];
const running = new Set<StartCommand>();

function scratch(): Scratch {
  const made = scratchFolder(token);
  scratches.push(made);
  return made;
}

function start(
  { stateDir, varsFile, configFile }: Scratch,
  environment: Record<string, string> = {},
): StartCommand {
  const command = runStart({
    PORT: "0",
    STATE_DIR: stateDir,
    PARLEY_VARS: varsFile,
    PARLEY_CONFIG: configFile,
    ...environment,
  });
  running.add(command);
  void command.exited.then(() => running.delete(command));
  return command;
}

afterEach(async () => {
  for (const command of running) {
    command.signalGroup("SIGTERM");
    await command.exited;
  }
});
afterAll(() => {
  for (const made of scratches) made.remove();
});

const api = (url: string, path: string) =>
  fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
const agentIds = async (url: string) => {
  const agents: { agentId: string }[] = await (await api(url, "/api/agents")).json();
  return agents.map(({ agentId }) => agentId).sort();
};

it("prints where the Worker is and one ready line, and ends with everything on SIGTERM", async () => {
  const command = start(scratch());
  const { workerUrl, link } = await command.ready;
  expect(link.hash).toBe(`#token=${token}`);
  expect(await agentIds(workerUrl)).toEqual(["asker", "knower"]);
  expect(await agentIds(link.origin)).toEqual(["asker", "knower"]);
  command.child.kill("SIGTERM");
  expect(await command.exited).toBe(0);
  expect(command.output.stdout.match(/^ready /gm)).toHaveLength(1);
  await expect(fetch(workerUrl)).rejects.toThrow();
  await expect(fetch(link.origin)).rejects.toThrow();
});

it("starts again on the same state after SIGKILL to the whole group", async () => {
  const place = scratch();
  const first = start(place);
  await first.ready;
  first.signalGroup("SIGKILL");
  expect(await first.exited).toBe("SIGKILL");
  const { link } = await start(place).ready;
  expect(await agentIds(link.origin)).toEqual(["asker", "knower"]);
});

it("takes the place of what a killed start script left running", async () => {
  const place = scratch();
  const first = start(place);
  const before = await first.ready;
  first.child.kill("SIGKILL");
  await first.exited;
  const { link } = await start(place).ready;
  expect(await agentIds(link.origin)).toEqual(["asker", "knower"]);
  await expect(fetch(before.workerUrl)).rejects.toThrow();
});

it("runs beside another instance, but not twice on one state folder", async () => {
  const place = scratch();
  const [first, second] = await Promise.all([start(place).ready, start(scratch()).ready]);
  expect(first.link.origin).not.toBe(second.link.origin);
  expect(await agentIds(first.link.origin)).toEqual(["asker", "knower"]);
  expect(await agentIds(second.link.origin)).toEqual(["asker", "knower"]);
  const twice = start(place);
  expect(await twice.exited).toBe(1);
  expect(twice.output.stderr).toContain("STATE_DIR");
});

it("L5 keeps the token out of the state folder and off every command line", async () => {
  const place = scratch();
  await start(place).ready;
  expect(filesBelow(place.stateDir).filter((file) => readFileSync(file).includes(token))).toEqual([]);
  expect(commandLines().filter((line) => line.includes(token))).toEqual([]);
});

it("names the next step when the port is taken", async () => {
  const server = createServer();
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const command = start(scratch(), { PORT: String(port) });
  expect(await command.exited).toBe(1);
  expect(command.output.stderr).toContain(`Port ${port} is in use`);
  expect(command.output.stderr).toContain("PORT=0");
  server.close();
});

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function commandLines(): string[] {
  const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      // It ended meanwhile.
      return "";
    }
  });
}
