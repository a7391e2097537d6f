import type { Chain } from "../api/types.ts";
import { formatCount } from "../language/format.ts";
import { addressOf } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";
import { texts } from "./texts.ts";

const WORKER = "@new:";

/** The chain's tasks with their links; unfolded while they are few. */
export function ChainTasks({ tasks }: { tasks: Chain["tasks"] }) {
  if (tasks.length === 0) return null;
  return (
    <details class="chain-tasks" open={tasks.length <= 4}>
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
              <AgentName
                agentId={
                  task.assignee.startsWith(WORKER) ? task.assignee.slice(WORKER.length) : task.assignee
                }
              />
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
