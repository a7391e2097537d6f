import { setTimeout as wait } from "node:timers/promises";

const PERSON = "@human";
const READ_EVERY_MS = 300;
/** Ten minutes. */
const MAX_READINGS = 2_000;
const OVER = ["done", "cancelled", "blocked"];
/** Somebody will go on with these by itself, unless it is a person. */
const MOVING = ["open", "dispatched", "running"];

/**
 * Waits until nothing moves in a chain any more; on the way every task of a person is answered, once all others rest.
 * @param demo `read()` answers `{chain, agents}`; `onReading(chain)`; `answer(task)` answers for the person;
 *   `pause()` waits between two readings
 * @returns the tasks that are neither over nor blocked; none when all came to an end
 */
export async function waitForQuiet({ read, onReading, answer, pause = () => wait(READ_EVERY_MS) }) {
  let before = null;
  let tasks = [];
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    const reading = await read();
    onReading(reading.chain);
    tasks = reading.chain.tasks;
    const now = isQuiet(reading) ? traceOf(reading.chain) : null;
    // Work may pass from one to the next between the reads of one reading: only what stays quiet is quiet.
    if (now === null || now !== before) before = now;
    else {
      const asked = tasks.filter(isAsked);
      if (asked.length === 0) break;
      for (const task of asked) await answer(task);
      before = null;
    }
    await pause();
  }
  return tasks.filter(({ status }) => !OVER.includes(status));
}

/**
 * Whether nothing moves but what a person has to do. A run that waits in a queue is not a run of the chain yet,
 * so the agents are asked too.
 */
export function isQuiet({ chain, agents }) {
  const working = agents.some(({ state, queued }) => state === "running" || queued > 0);
  const open = chain.runs.some(({ status }) => status === null);
  return !working && !open && !chain.tasks.some((task) => MOVING.includes(task.status) && !isAsked(task));
}

const isAsked = ({ assignee, status }) => assignee === PERSON && MOVING.includes(status);

const traceOf = ({ runs, tasks }) =>
  JSON.stringify([runs.map(({ runId }) => runId), tasks.map(({ taskId, status }) => [taskId, status])]);
