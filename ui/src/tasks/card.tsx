/** A task on the board. */

import { useComputed } from "@preact/signals";
import { agentOf, FRESH } from "../api/assignees.ts";
import { nameOf } from "../api/team.ts";
import type { Task } from "../api/types.ts";
import { formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf, place } from "../location/place.ts";
import { AgentMark, hueClass } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";
import { ActMenu } from "./act-menu.tsx";
import { formatAge, now } from "./age.ts";
import { isOverdue } from "./rules.ts";
import { onTaskKey } from "./task-keys.ts";
import { texts } from "./texts.ts";

export function Card({ task }: { task: Task }) {
  const selected = useComputed(() => place.value.query.task === task.taskId).value;
  return (
    <article class={`task-card ${hueClass(agentOf(task.assignee))}`} data-selected={selected}>
      <header>
        <AgentMark agentId={agentOf(task.assignee)} small />
        <span class="assignee quiet">
          <bdi>{assigneeName(task.assignee)}</bdi>
        </span>
        <ActMenu task={task} />
      </header>
      <h3>
        <TaskLink task={task} />
      </h3>
      <Facts task={task} />
      <p class="card-foot">
        <Status of="task" value={task.status} />
        <a class="chain-link" href={addressOf({ view: "chain", id: task.rootRunId })}>
          <Icon name="chain" />
          {texts.chain}
        </a>
      </p>
    </article>
  );
}

/** Opens the panel; the rest of what is chosen stays. */
export function TaskLink({ task }: { task: Task }) {
  return (
    <a
      class="task-link"
      data-task={task.taskId}
      href={addressOfTask(task.taskId)}
      dir="auto"
      onKeyDown={(event) => onTaskKey(event, task)}
    >
      {task.title}
    </a>
  );
}

export function addressOfTask(task: string): string {
  const { act: _act, new: _new, ...query } = place.value.query;
  return addressOf({ view: "tasks", query: { ...query, task } });
}

/** Age, due time, and what is out of the ordinary. */
export function Facts({ task }: { task: Task }) {
  return (
    <ul class="facts">
      {task.priority !== "normal" && (
        <li class={`priority priority-${task.priority}`}>
          <span class="unseen">{texts.priority}: </span>
          {labelOf(words.priorities, task.priority)}
        </li>
      )}
      {task.dueAt !== null && <Due task={task} dueAt={task.dueAt} />}
      <li>
        <time dateTime={task.createdAt} title={formatMoment(task.createdAt)}>
          {texts.age(formatAge(now.value - Date.parse(task.createdAt)))}
        </time>
      </li>
      {task.attempts > 1 && <li>{texts.attempts(task.attempts)}</li>}
      {task.rejections > 0 && <li>{texts.rejected(task.rejections)}</li>}
    </ul>
  );
}

function Due({ task, dueAt }: { task: Task; dueAt: string }) {
  const late = isOverdue(task, now.value);
  const when = formatMoment(dueAt);
  return (
    <li class={late ? "late" : ""}>
      {late && <Icon name="clock" />}
      {late ? texts.overdue(when) : texts.due(when)}
    </li>
  );
}

/** `@new:` workers by their agent's name. */
export function assigneeName(assignee: string): string {
  const name = nameOf(agentOf(assignee));
  return assignee.startsWith(FRESH) ? texts.fresh(name) : name;
}
