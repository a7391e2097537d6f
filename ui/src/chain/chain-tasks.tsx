import { useState } from "preact/hooks";
import { agentOf } from "../api/assignees.ts";
import type { Chain } from "../api/types.ts";
import { formatCount } from "../language/format.ts";
import { addressOf } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";
import { texts } from "./texts.ts";

const FEW = 4;

/** The chain's tasks with their links. */
export function ChainTasks({ tasks }: { tasks: Chain["tasks"] }) {
  return tasks.length === 0 ? null : <TaskList tasks={tasks} />;
}

/** Unfolded if they were few at first; after that it is the reader's choice. */
function TaskList({ tasks }: { tasks: Chain["tasks"] }) {
  const [unfolded] = useState(tasks.length <= FEW);
  return (
    <details class="chain-tasks" open={unfolded}>
      <summary>
        <h2>
          {texts.tasks} <span class="quiet">{formatCount(tasks.length)}</span>
        </h2>
      </summary>
      <ul>
        {tasks.map((task) => (
          <li key={task.taskId}>
            <Status of="task" value={task.status} />
            <a class="chain-task-title" href={addressOf({ view: "tasks", query: { task: task.taskId } })}>
              <bdi>{task.title}</bdi>
            </a>
            <span class="parties">
              <AgentName agentId={task.creator} />
              <span class="unseen">{texts.to}</span>
              <span aria-hidden="true">{"\u2192"}</span>
              <AgentName agentId={agentOf(task.assignee)} />
            </span>
            {task.inCircle && (
              <span class="circle tone-warn">
                <Icon name="swap" /> {texts.circle}
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
