/** One task: what it says, where it came from, what became of it, and what can be done with it. */

import { useEffect, useRef } from "preact/hooks";
import { agentOf, FRESH } from "../api/assignees.ts";
import { api, call } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import type { TaskDetail } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf, changeQuery, place } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { RichText } from "../parts/rich-text.tsx";
import { Status } from "../parts/status.tsx";
import { ActForm } from "./act-form.tsx";
import { addressOfTask, Facts } from "./card.tsx";
import { taskOf } from "./gathered.ts";
import { History } from "./history.tsx";
import { ACTS, type Act, allowedActs } from "./rules.ts";
import { texts } from "./texts.ts";

interface PanelProps {
  readonly taskId: string;
  close(): void;
}

export function Panel({ taskId, close }: PanelProps) {
  const { loaded, reload } = useLoad(
    (signal) =>
      call(api.tasks[":id"].$get({ param: { id: encodeURIComponent(taskId) } }, { init: { signal } })),
    [taskId],
  );
  useEffect(
    () =>
      onLive(({ type, data }) => {
        const task = type === "task" ? taskOf(data) : null;
        if (task?.taskId !== taskId) return;
        const before = loaded.peek().data?.status;
        if (before !== undefined && before !== task.status)
          announce(texts.isNow(task.title, labelOf(words.taskStatuses, task.status)));
        reload();
      }),
    [taskId, reload, loaded],
  );
  const { data, problem } = loaded.value;
  return (
    <aside class="panel" aria-label={texts.panel} onKeyDown={(event) => closeOnEscape(event, close)}>
      <button type="button" class="bare panel-close" aria-label={words.close} onClick={close}>
        <Icon name="cross" />
      </button>
      {problem !== null &&
        (problem.code === "not_found" ? (
          <EmptyNote>{texts.gone}</EmptyNote>
        ) : (
          <ProblemNote problem={problem} retry={reload} />
        ))}
      {data === null && problem === null && <LoadingNote />}
      {data !== null && <Detail key={taskId} task={data} reload={reload} />}
    </aside>
  );
}

export function closeOnEscape(event: KeyboardEvent, close: () => void): void {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  if (event.target instanceof Element && event.target.closest("[popover]") !== null) return;
  close();
}

function Detail({ task, reload }: { task: TaskDetail; reload: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const act = ACTS.find((each) => each === place.value.query.act) ?? null;
  useEffect(() => {
    if (act === null) heading.current?.focus();
  }, []);
  const close = () => {
    changeQuery({ act: null }, "replace");
    reload();
    heading.current?.focus();
  };
  const listed = { ...task, truncated: false };
  return (
    <>
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {task.title}
      </h2>
      <p class="panel-state">
        <Status of="task" value={task.status} />
        <Facts task={listed} />
      </p>
      <Acts acts={allowedActs(listed)} chosen={act} />
      {act !== null && <ActForm key={act} task={listed} act={act} close={close} />}
      <Lineage task={task} />
      <Text title={texts.description} text={task.description} />
      <Text title={texts.acceptance} text={task.acceptance} />
      <Text title={texts.result} text={task.result} />
      <Text title={texts.reason} text={task.reason} />
      <Stages stages={task.stages} />
      <History events={task.events} />
    </>
  );
}

function Acts({ acts, chosen }: { acts: readonly Act[]; chosen: Act | null }) {
  return (
    <p class="buttons acts">
      {acts.map((act, index) => (
        <button
          key={act}
          type="button"
          class={index === 0 && act !== "comment" && chosen === null ? "primary" : ""}
          aria-expanded={act === chosen}
          onClick={() => changeQuery({ act: act === chosen ? null : act }, "replace")}
        >
          {texts.acts[act]}
        </button>
      ))}
    </p>
  );
}

function Lineage({ task }: { task: TaskDetail }) {
  return (
    <dl class="lineage">
      <dt>{texts.from}</dt>
      <dd>
        <AgentName agentId={task.creator} />
      </dd>
      <dt>{texts.to}</dt>
      <dd>
        <AgentName agentId={agentOf(task.assignee)} />
        {task.assignee.startsWith(FRESH) && <span class="quiet"> {FRESH}</span>}
      </dd>
      <dt>{texts.created}</dt>
      <dd>
        <Moment iso={task.createdAt} format={formatMoment} />
      </dd>
      {task.dueAt !== null && (
        <>
          <dt>{texts.dueLabel}</dt>
          <dd>
            <Moment iso={task.dueAt} format={formatMoment} />
          </dd>
        </>
      )}
      {task.parentTaskId !== null && (
        <>
          <dt>{texts.parent}</dt>
          <dd>
            <a href={addressOfTask(task.parentTaskId)}>{task.parentTaskId}</a>
          </dd>
        </>
      )}
      <dt>{texts.chain}</dt>
      <dd>
        <a href={addressOf({ view: "chain", id: task.rootRunId })}>{task.rootRunId}</a>
      </dd>
      {task.runId !== null && (
        <>
          <dt>{texts.run}</dt>
          <dd>
            <a href={addressOf({ view: "chain", id: task.rootRunId, query: { run: task.runId } })}>
              {task.runId}
            </a>
          </dd>
        </>
      )}
    </dl>
  );
}

function Text({ title, text }: { title: string; text: string | null }) {
  if (text === null || text === "") return null;
  return (
    <section class="panel-text">
      <h3>{title}</h3>
      <RichText text={text} />
    </section>
  );
}

function Stages({ stages }: { stages: TaskDetail["stages"] }) {
  if (stages.length === 0) return null;
  return (
    <section class="panel-text">
      <h3>{texts.stages}</h3>
      <ol class="stages">
        {stages.map((stage, index) => (
          <li key={`${index} ${stage.title}`}>
            <p>
              <strong dir="auto">{stage.title}</strong> <AgentName agentId={agentOf(stage.assignee)} />
            </p>
            <RichText text={stage.description} />
            {stage.acceptance !== undefined && (
              <p class="quiet">
                {texts.acceptance}: <span dir="auto">{stage.acceptance}</span>
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
