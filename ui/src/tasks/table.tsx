/** The board's tasks as rows, for many of them. */
import { agentOf, FRESH } from "../api/assignees.ts";
import type { Task } from "../api/types.ts";
import { formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { Status } from "../parts/status.tsx";
import { ActMenu } from "./act-menu.tsx";
import { now } from "./age.ts";
import { Older } from "./board.tsx";
import { TaskLink } from "./card.tsx";
import { byAge, COLUMNS, isOverdue } from "./rules.ts";
import { texts } from "./texts.ts";
import type { Board } from "./use-board.ts";

interface TableViewProps {
  readonly tasks: readonly Task[];
  readonly board: Board;
  readonly assignee: string;
}

export function TableView({ tasks, board, assignee }: TableViewProps) {
  const heads = texts.columnsOfTable;
  return (
    <section class="task-table" aria-label={texts.table}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{heads.title}</th>
            <th scope="col">{heads.status}</th>
            <th scope="col">{heads.assignee}</th>
            <th scope="col">{heads.creator}</th>
            <th scope="col">{heads.priority}</th>
            <th scope="col">{heads.due}</th>
            <th scope="col">{heads.created}</th>
            <th scope="col" class="number">
              {heads.attempts}
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {[...tasks].sort(byAge).map((task) => (
            <Row key={task.taskId} task={task} />
          ))}
        </tbody>
      </table>
      {Object.keys(board.cursors.value).length > 0 && <Older columns={COLUMNS} assignee={assignee} />}
    </section>
  );
}

function Row({ task }: { task: Task }) {
  const late = isOverdue(task, now.value);
  return (
    <tr>
      <th scope="row">
        <TaskLink task={task} />
      </th>
      <td>
        <Status of="task" value={task.status} />
      </td>
      <td>
        <AgentName agentId={agentOf(task.assignee)} />
        {task.assignee.startsWith(FRESH) && <span class="quiet"> {FRESH}</span>}
      </td>
      <td>
        <AgentName agentId={task.creator} />
      </td>
      <td>{labelOf(words.priorities, task.priority)}</td>
      <td class={late ? "late" : ""}>
        {late && <Icon name="clock" />}
        {task.dueAt !== null && (late ? texts.overdue(formatMoment(task.dueAt)) : formatMoment(task.dueAt))}
      </td>
      <td>
        <Moment iso={task.createdAt} format={formatMoment} />
      </td>
      <td class="number">{task.attempts}</td>
      <td>
        <ActMenu task={task} />
      </td>
    </tr>
  );
}
