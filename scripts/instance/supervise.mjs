import { setTimeout as wait } from "node:timers/promises";

const MAX_RESTARTS = 5;
const WINDOW_MS = 120_000;
const PROBE_EVERY_MS = 5_000;
const PROBE_MS = 10_000;
const PROBES_FAILED = 4;

/**
 * Keeps a server process running: starts it again when it ends or stops answering, and gives up when that
 * happens too often.
 * @param options `name`; `start(port)` answers `{ready, codeFault, exited, stop}`; `port` (0 = any, kept over restarts);
 *   `healthPath`; `log`; `onGiveUp(reason)`
 * @returns `{port, codeFault, stop(), abandon()}` once the process serves; rejects when its first start fails
 */
export async function supervise(options) {
  const state = { stopping: false, process: options.start(options.port), starts: [] };
  const port = await state.process.ready.catch(async (error) => {
    await state.process.stop();
    throw error;
  });
  const { codeFault } = state.process;
  const over = watch(options, state, port);
  return {
    port,
    codeFault,
    stop: async () => {
      state.stopping = true;
      await state.process.stop();
      await over;
    },
    abandon: () => {
      state.stopping = true;
    },
  };
}

async function watch(options, state, port) {
  for (;;) {
    const reason = await firstTrouble(state.process, `http://127.0.0.1:${port}${options.healthPath}`);
    if (state.stopping) return;
    await state.process.stop();
    if (!mayRestart(state)) return options.onGiveUp(`The ${options.name} ${reason}, again and again.`);
    options.log(`the ${options.name} ${reason}; starting it again`);
    await wait(1_000 * state.starts.length);
    if (state.stopping) return;
    state.process = options.start(port);
    const problem = await state.process.ready.then(
      () => null,
      (error) => error,
    );
    if (problem !== null && !state.stopping) options.log(String(problem.message));
  }
}

function mayRestart(state) {
  const now = Date.now();
  state.starts = [...state.starts.filter((at) => now - at < WINDOW_MS), now];
  return state.starts.length <= MAX_RESTARTS;
}

/** Waits until the process ended or has not answered several probes in a row. */
function firstTrouble(process, url) {
  const ended = new AbortController();
  const exit = process.exited.then(({ code, signal }) => {
    ended.abort();
    return `ended (${signal ?? `exit code ${code}`})`;
  });
  return Promise.race([exit, silence(url, ended.signal)]);
}

async function silence(url, ended) {
  for (let failed = 0; failed < PROBES_FAILED; ) {
    await wait(PROBE_EVERY_MS, undefined, { ref: false, signal: ended }).catch(() => undefined);
    if (ended.aborted) return "ended";
    failed = (await answers(url, PROBE_MS)) ? 0 : failed + 1;
  }
  return "does not answer any more";
}

/** Whether the address answers at all; what it answers is not this function's business. */
export async function answers(url, timeoutMs) {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { connection: "close" },
    });
    await response.arrayBuffer();
    return response.status < 500;
  } catch {
    return false;
  }
}
