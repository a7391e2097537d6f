/**
 * Tells what becomes of tasks, each event of their histories once and in order, and what the instructed agent says
 * to the results. The live feed and the chain's readings both say that there may be news.
 */
import { isStageOf } from "./board.mjs";

const SHOWN_TEXT = 400;
const marked = {
  blocked: "red",
  rejected: "yellow",
  cancelled: "yellow",
  overdue: "yellow",
  silted: "yellow",
  circle: "yellow",
};

/**
 * @param context `screen`, `texts`, `scripted` (a set of agents), `elapsed()`, and `whenSilent(print)`, which prints
 *   when nobody is in the middle of a sentence
 * @param api `get(path)`
 * @returns `task(task)` and `run(run)`, to be called as often as one likes; `settled()`, once all is told
 */
export function createTaskNews(context, api) {
  const state = { context, api, tasks: new Map(), told: new Map(), runs: new Set() };
  let queue = Promise.resolve();
  // What cannot be read just now is read with the next reading.
  const inOrder = (work) => {
    queue = queue.then(work).catch(() => undefined);
  };
  return {
    task: (task) => inOrder(() => tellTask(state, task)),
    run: (run) => inOrder(() => tellRun(state, run)),
    settled: () => queue,
  };
}

async function tellTask(state, { taskId, status, updatedAt }) {
  const known = state.tasks.get(taskId);
  if (known?.status === status && known.updatedAt === updatedAt) return;
  const task = await state.api.get(`/api/tasks/${taskId}`);
  const earlier = [...state.tasks.values()];
  state.tasks.set(taskId, task);
  const news = task.events.slice(state.told.get(taskId) ?? 0);
  state.told.set(taskId, task.events.length);
  const stage = earlier.some((other) => isStageOf(task, other));
  const { taskActs } = state.context.texts;
  for (const event of news.filter(({ kind }) => kind === "created" || kind in taskActs))
    state.context.whenSilent(() => showEvent(state.context, { task, event, stage }));
}

function showEvent({ screen, texts, scripted, elapsed }, { task, event, stage }) {
  const { actor, kind, text } = event;
  const name = screen.paint("bold", actor);
  const created = kind === "created";
  const byEngine = created && stage;
  const who = scripted.has(actor) && !byEngine ? `${name} (${texts.scripted})` : name;
  const lead = created
    ? (byEngine ? texts.nextStage : texts.givesTask)(who, screen.paint("bold", task.assignee))
    : texts.taskActs[kind](who, task.title);
  const style = marked[kind];
  const [first = ""] = task.description.split("\n");
  screen.event(
    elapsed(),
    `${style === undefined ? lead : screen.paint(style, lead)}: `,
    cut(created ? `${task.title}. ${first}` : text),
  );
}

async function tellRun(state, { runId, agentId, status }) {
  if (status === null || state.runs.has(runId)) return;
  const { run } = await state.api.get(`/api/runs/${runId}`);
  state.runs.add(runId);
  const { screen, texts, scripted, elapsed, whenSilent } = state.context;
  const name = screen.paint("bold", agentId);
  const who = scripted.has(agentId) ? `${name} (${texts.scripted})` : name;
  if ((run.reply ?? "") !== "") whenSilent(() => screen.event(elapsed(), `${who}: `, run.reply));
}

function cut(text) {
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)} ...` : text;
}
