/** The taskboard: what waits for a person on top, the board or the table below, one task beside it. */
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { addressOf, changeQuery, place } from "../location/place.ts";
import { Icon } from "../parts/icon.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { AssigneeSelect } from "./assignee-select.tsx";
import { BoardView } from "./board.tsx";
import { CreatePanel } from "./create.tsx";
import { Inbox } from "./inbox.tsx";
import { Panel } from "./panel.tsx";
import { matches } from "./rules.ts";
import { TableView } from "./table.tsx";
import "./tasks.css";
import "./table.css";
import "./panel.css";
import "./narrow.css";
import { texts } from "./texts.ts";
import { useBoard } from "./use-board.ts";
import { useKeptFocus } from "./use-kept-focus.ts";

export function Page() {
  const { query } = place.value;
  const assignee = query.assignee ?? "";
  const text = query.q ?? "";
  const board = useBoard(assignee);
  const all = useComputed(() => [...board.tasks.value.values()]).value;
  const shown = all.filter((task) => matches(task, { assignee, text }));
  const { problem, loading } = board.loaded.value;
  const close = useClose(query.task ?? null);
  const area = useKeptFocus();
  const panel = query.new !== undefined ? "new" : query.task === undefined ? "none" : "task";
  const View = query.view === "table" ? TableView : BoardView;
  return (
    <div class="tasks" data-panel={panel}>
      <div ref={area} class="tasks-main">
        <Head />
        {problem !== null && <ProblemNote problem={problem} retry={board.reload} />}
        {all.length === 0 && loading && problem === null && <LoadingNote />}
        {(all.length > 0 || !(loading || problem !== null)) && (
          <>
            <Inbox tasks={all} />
            <Filters assignee={assignee} text={text} />
            {shown.length === 0 && text + assignee !== "" ? (
              <EmptyNote>
                {texts.noMatch}{" "}
                <a href={addressOf(withQuery({ q: null, assignee: null }))}>{texts.clearFilter}</a>
              </EmptyNote>
            ) : (
              <View tasks={shown} board={board} assignee={assignee} />
            )}
          </>
        )}
      </div>
      {panel === "new" && <CreatePanel close={close} />}
      {panel === "task" && query.task !== undefined && <Panel taskId={query.task} close={close} />}
    </div>
  );
}

/** Closes the panel; the focus goes back to the task that it showed, or to the view's heading. */
function useClose(taskId: string | null): () => void {
  const closed = useRef<string | null>(null);
  useEffect(() => {
    if (closed.current === null) return;
    const link = document.querySelector<HTMLElement>(`.task-link[data-task="${CSS.escape(closed.current)}"]`);
    (link?.checkVisibility() ? link : document.querySelector<HTMLElement>("main h1"))?.focus();
    closed.current = null;
  });
  return () => {
    closed.current = taskId ?? "";
    changeQuery({ task: null, act: null, new: null });
  };
}

function withQuery(changes: Readonly<Record<string, string | null>>) {
  return { view: "tasks", query: { ...place.value.query, ...changes } } as const;
}

function Head() {
  const isTable = place.value.query.view === "table";
  return (
    <header class="tasks-head">
      <h1 tabIndex={-1}>{texts.title}</h1>
      <nav class="switch" aria-label={texts.shownAs}>
        <a href={addressOf(withQuery({ view: null }))} aria-current={isTable ? undefined : "true"}>
          {texts.board}
        </a>
        <a href={addressOf(withQuery({ view: "table" }))} aria-current={isTable ? "true" : undefined}>
          {texts.table}
        </a>
      </nav>
      <a class="button new-task" href={addressOf(withQuery({ new: "1", task: null, act: null }))}>
        <Icon name="plus" />
        {texts.newTask}
      </a>
    </header>
  );
}

function Filters({ assignee, text }: { assignee: string; text: string }) {
  return (
    <search class="filters">
      <label>
        {texts.filterText}
        <input
          type="search"
          value={text}
          onInput={(event) => changeQuery({ q: event.currentTarget.value }, "replace")}
        />
      </label>
      <AssigneeSelect
        label={texts.filterAssignee}
        value={assignee}
        none={texts.everybody}
        choose={(choice) => changeQuery({ assignee: choice })}
      />
    </search>
  );
}
