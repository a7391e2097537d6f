/** The columns of the board. */
import { useSignal } from "@preact/signals";
import type { Problem } from "../api/client.ts";
import type { Task } from "../api/types.ts";
import { formatCount } from "../language/format.ts";
import { addressOf, place } from "../location/place.ts";
import { ProblemNote } from "../parts/notes.tsx";
import { Card } from "./card.tsx";
import { byAge, COLUMNS, type Column, STATUSES_OF } from "./rules.ts";
import { texts } from "./texts.ts";
import { type Board, loadOlder } from "./use-board.ts";

interface BoardViewProps {
  readonly tasks: readonly Task[];
  readonly board: Board;
  readonly assignee: string;
}

export function BoardView({ tasks, board, assignee }: BoardViewProps) {
  const { query } = place.value;
  const chosen = COLUMNS.find((column) => column === query.column) ?? "open";
  const inColumn = (column: Column) =>
    tasks.filter(({ status }) => STATUSES_OF[column].includes(status)).sort(byAge);
  const count = (column: Column) => countOf(inColumn(column).length, hasOlder(board, column));
  return (
    <>
      <nav class="column-tabs" aria-label={texts.board}>
        {COLUMNS.map((column) => (
          <a
            key={column}
            href={addressOf({ view: "tasks", query: { ...query, column } })}
            aria-current={column === chosen ? "true" : undefined}
          >
            {texts.columns[column]} <span class="count">{count(column)}</span>
          </a>
        ))}
      </nav>
      <div class="board">
        {COLUMNS.map((column) => (
          <section
            key={column}
            class="column"
            aria-labelledby={`column-${column}`}
            data-column={column}
            data-chosen={column === chosen}
          >
            <h2 id={`column-${column}`}>
              {texts.columns[column]} <span class="count">{count(column)}</span>
            </h2>
            <CardList tasks={inColumn(column)} />
            {hasOlder(board, column) && <Older columns={[column]} assignee={assignee} />}
          </section>
        ))}
      </div>
    </>
  );
}

function CardList({ tasks }: { tasks: readonly Task[] }) {
  if (tasks.length === 0) return <p class="column-empty quiet">{texts.columnEmpty}</p>;
  return (
    <ol>
      {tasks.map((task) => (
        <li key={task.taskId}>
          <Card task={task} />
        </li>
      ))}
    </ol>
  );
}

function hasOlder({ cursors }: Board, column: Column): boolean {
  return STATUSES_OF[column].some((status) => cursors.value[status] !== undefined);
}

function countOf(loaded: number, more: boolean): string {
  return `${formatCount(loaded)}${more ? "+" : ""}`;
}

/** Adds the next page; where it was the last one, the focus goes on to the newest of its cards. */
export function Older({ columns, assignee }: { columns: readonly Column[]; assignee: string }) {
  const problem = useSignal<Problem | null>(null);
  const busy = useSignal(false);
  const load = async (button: HTMLButtonElement) => {
    if (busy.value) return;
    busy.value = true;
    const links = button.closest("section")?.querySelectorAll<HTMLElement>(".task-link");
    for (const column of columns) problem.value ??= await loadOlder(column, assignee);
    busy.value = false;
    if (!button.isConnected) [...(links ?? [])].at(-1)?.focus();
  };
  return (
    <>
      <button
        type="button"
        class="older"
        aria-disabled={busy.value}
        onClick={(event) => {
          problem.value = null;
          void load(event.currentTarget);
        }}
      >
        {texts.older}
      </button>
      {problem.value !== null && <ProblemNote problem={problem.value} />}
    </>
  );
}
