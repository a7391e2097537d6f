import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** The environment variable that marks every process of an instance, workerd included. */
export const markName = "PARLEY_PROCESS";

/**
 * Ends the processes that carry a mark with this beginning, at once. A wrangler that was killed leaves its
 * workerd behind, which holds port and database. Only Linux tells whose they are (through /proc); elsewhere
 * wrangler's own orderly end has to do.
 */
export async function killMarked(mark) {
  for (let round = 0; round < 50; round += 1) {
    const pids = markedProcesses(mark);
    if (pids.length === 0) return;
    for (const pid of pids) signal(pid, "SIGKILL");
    await wait(20);
  }
}

function markedProcesses(mark) {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => environmentOf(pid).some((line) => line.startsWith(`${markName}=${mark}`)))
    .map(Number);
}

/** Empty for a process that is gone, not ours, or a zombie. */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
