/** What nobody but a person will take care of. */
import { agentOf, HUMAN } from "../api/assignees.ts";
import type { Task } from "../api/types.ts";
import { formatCount } from "../language/format.ts";
import { AgentMark } from "../parts/agent-mark.tsx";
import { Facts, TaskLink } from "./card.tsx";
import { type Act, allowedActs, byUrgency, waitsForPerson } from "./rules.ts";
import { beginAct } from "./task-keys.ts";
import { texts } from "./texts.ts";

export function Inbox({ tasks }: { tasks: readonly Task[] }) {
  const waiting = tasks.filter(waitsForPerson).sort(byUrgency);
  const others = tasks
    .filter(({ status, creator }) => status === "review" && creator !== HUMAN)
    .sort(byUrgency);
  return (
    <section class="inbox" aria-labelledby="inbox-title" data-empty={waiting.length === 0}>
      <h2 id="inbox-title">
        {texts.inbox} <span class="count">{formatCount(waiting.length)}</span>
      </h2>
      {waiting.length === 0 ? <p class="quiet">{texts.inboxEmpty}</p> : <WaitingList tasks={waiting} />}
      {others.length > 0 && (
        <details>
          <summary>{texts.othersReview(others.length)}</summary>
          <WaitingList tasks={others} />
        </details>
      )}
    </section>
  );
}

function WaitingList({ tasks }: { tasks: readonly Task[] }) {
  return (
    <ol>
      {tasks.map((task) => (
        <li key={task.taskId}>
          <Waiting task={task} />
        </li>
      ))}
    </ol>
  );
}

const DIRECT: readonly Act[] = ["complete", "block", "accept", "reject"];

function Waiting({ task }: { task: Task }) {
  const other = task.assignee === HUMAN ? task.creator : agentOf(task.assignee);
  const text = task.status === "review" ? (task.result ?? "") : task.description;
  return (
    <article class="waiting">
      <AgentMark agentId={other} />
      <div class="waiting-text">
        <h3>
          <TaskLink task={task} />
        </h3>
        <p class="excerpt" dir="auto">
          {text.slice(0, 400).replaceAll(/[*_`#>|]+/g, "")}
        </p>
        <Facts task={task} />
      </div>
      <p class="buttons">
        {allowedActs(task)
          .filter((act) => DIRECT.includes(act))
          .map((act, index) => (
            <button
              key={act}
              type="button"
              class={index === 0 ? "primary" : ""}
              onClick={() => beginAct(task.taskId, act)}
            >
              {texts.acts[act]}
              <span class="unseen"> {task.title}</span>
            </button>
          ))}
      </p>
    </article>
  );
}
