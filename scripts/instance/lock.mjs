import { createHash } from "node:crypto";
import { existsSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A short name for a folder, safe in file names and environment variables. */
export const shortHash = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/**
 * Takes the machine-wide lock of that name, held until released or until this process ends in any way
 * (a listening socket, so a SIGKILL frees it too).
 * @returns {Promise<{release(): Promise<void>} | null>} null when someone else holds it
 */
export async function tryLock(name) {
  const linux = process.platform === "linux";
  const file = join(tmpdir(), `parley-${shortHash(name)}.sock`);
  // Linux has sockets without a file: nothing stale can be left behind.
  const path = linux ? `\0parley-${shortHash(name)}` : file;
  if (!linux && existsSync(file) && !(await answers(file))) unlinkSync(file);
  const server = createServer((socket) => socket.destroy());
  const free = await new Promise((settle, reject) => {
    server.once("error", (error) => (error.code === "EADDRINUSE" ? settle(false) : reject(error)));
    server.listen(path, () => settle(true));
  });
  if (!free) return null;
  server.unref();
  return { release: () => new Promise((settle) => server.close(() => settle())) };
}

/** Runs `work` while holding the lock of that name, waiting for it first. */
export async function withLock(name, work) {
  let lock = await tryLock(name);
  while (lock === null) {
    await wait(200);
    lock = await tryLock(name);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

function answers(path) {
  return new Promise((settle) => {
    const socket = connect(path);
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
    socket.once("close", () => socket.destroy());
  });
}
