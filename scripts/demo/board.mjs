import { alignColumns } from "./columns.mjs";

const SHOWN_RESULT = 80;
/** Title, creator, assignee, status; the numbers after them stand to the right. */
const WORDS = 4;

/**
 * A chain's tasks like a board: a line for each below a line of headings, and below it what came of it. A stage stands
 * below the task that it follows.
 * @param tasks as `GET /api/chains/:rootRunId` lists them
 * @param texts as `textsIn` answers them
 */
export function taskBoard(tasks, texts) {
  const inTime = [...tasks].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  const stages = new Set(inTime.filter((task) => inTime.some((other) => isStageOf(task, other))));
  const rows = inTime.filter((task) => !stages.has(task)).flatMap((task) => withStages(stages, task, ""));
  const [headings, ...lines] = alignColumns(
    [texts.taskColumns, ...rows.map((row) => cellsOf(row, texts))],
    WORDS,
  );
  return [headings, ...lines.flatMap((line, index) => [line, ...outcomeLine(rows[index], texts)])];
}

/** Whether the engine made the one as the stage after the other. */
export function isStageOf(task, other) {
  const [next] = other.stages;
  return other !== task && next !== undefined && next.title === task.title && next.assignee === task.assignee;
}

/** Each stage is taken once, also when several tasks have equal ones. */
function withStages(stages, task, branch) {
  const next = [...stages].find((stage) => isStageOf(stage, task));
  stages.delete(next);
  const below = branch === "" ? "`-- " : `    ${branch}`;
  return [{ task, branch }, ...(next === undefined ? [] : withStages(stages, next, below))];
}

function cellsOf({ task, branch }, texts) {
  const { title, creator, assignee, status, attempts, rejections } = task;
  return [`${branch}${title}`, creator, assignee, texts.taskStatus(status), `${attempts}`, `${rejections}`];
}

function outcomeLine({ task, branch }, texts) {
  const text = (task.status === "blocked" ? task.reason : task.result) ?? "";
  if (text === "") return [];
  const line = text.replace(/\s+/g, " ");
  const shown = line.length > SHOWN_RESULT ? `${line.slice(0, SHOWN_RESULT)} ...` : line;
  return [`${" ".repeat(branch.length + 2)}${texts.outcomeOf(task.status)}: ${shown}`];
}
