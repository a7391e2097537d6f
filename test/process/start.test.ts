import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Scratch, scratchFolder } from "./instance.ts";
import { giveMigratedState } from "./migrated-state.ts";
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

afterAll(async () => {
  for (const command of running) {
    command.signalGroup("SIGTERM");
    await command.exited;
  }
  for (const made of scratches) made.remove();
});

const api = (url: string, path: string) =>
  fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
const agentIds = async (url: string) => {
  const agents: { agentId: string }[] = await (await api(url, "/api/agents")).json();
  return agents.map(({ agentId }) => agentId).sort();
};

/** One state folder through the life of an instance: each test begins where the one before it ended. */
describe("npm start, from nothing", () => {
  const place = scratch();
  let command: StartCommand;

  it("prints where the Worker is and one ready line", async () => {
    command = start(place);
    const { workerUrl, link } = await command.ready;
    expect(link.hash).toBe(`#token=${token}`);
    expect(await agentIds(workerUrl)).toEqual(["asker", "knower"]);
    expect(await agentIds(link.origin)).toEqual(["asker", "knower"]);
    expect(command.output.stdout.match(/^ready /gm)).toHaveLength(1);
  });

  it("L5 keeps the token out of the state folder and off every command line", () => {
    expect(filesBelow(place.stateDir).filter((file) => readFileSync(file).includes(token))).toEqual([]);
    expect(commandLines().filter((line) => line.includes(token))).toEqual([]);
  });

  it("runs beside another instance, but not twice on one state folder", async () => {
    const other = scratch();
    await giveMigratedState(other.stateDir);
    const beside = start(other);
    const [first, second] = await Promise.all([command.ready, beside.ready]);
    expect(first.link.origin).not.toBe(second.link.origin);
    expect(await agentIds(first.link.origin)).toEqual(["asker", "knower"]);
    expect(await agentIds(second.link.origin)).toEqual(["asker", "knower"]);
    const twice = start(place);
    expect(await twice.exited).toBe(1);
    expect(twice.output.stderr).toContain("STATE_DIR");
    beside.child.kill("SIGTERM");
    expect(await beside.exited).toBe(0);
  });

  it("starts again on the same state after SIGKILL to the whole group, and keeps its team though no file is named", async () => {
    command.signalGroup("SIGKILL");
    expect(await command.exited).toBe("SIGKILL");
    command = start(place, { PARLEY_CONFIG: "" });
    const { link } = await command.ready;
    expect(await agentIds(link.origin)).toEqual(["asker", "knower"]);
    expect(command.output.stderr).toMatch(
      /PARLEY_CONFIG is not set, and the team here came from \S*config\.json/,
    );
  });

  it("takes the place of what a killed start script left running", async () => {
    const before = await command.ready;
    command.child.kill("SIGKILL");
    await command.exited;
    command = start(place);
    const { link } = await command.ready;
    expect(await agentIds(link.origin)).toEqual(["asker", "knower"]);
    await expect(fetch(before.workerUrl)).rejects.toThrow();
  });

  it("ends with everything on SIGTERM", async () => {
    const { workerUrl, link } = await command.ready;
    command.child.kill("SIGTERM");
    expect(await command.exited).toBe(0);
    await expect(fetch(workerUrl)).rejects.toThrow();
    await expect(fetch(link.origin)).rejects.toThrow();
  });
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
