/** Writing a new task. What is typed is kept until the task is made or the form is emptied. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, body, call, type Problem } from "../api/client.ts";
import { labelOf, speak } from "../language/language.ts";
import { words } from "../language/words.ts";
import { changeQuery } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { useDraft } from "../parts/draft.ts";
import { Icon } from "../parts/icon.tsx";
import { Refused } from "./act-form.tsx";
import { zone } from "./age.ts";
import { EMPTY_STAGE, MAX_STAGES, type NewTask, readDraft, taskBody } from "./new-task.ts";
import { closeOnEscape } from "./panel.tsx";
import { Stages, StageTexts } from "./stage-fields.tsx";
import { texts } from "./texts.ts";
import { takeTask } from "./use-board.ts";

const formTexts = speak(
  {
    priority: "Priority",
    due: (zoneName: string) => `Due (${zoneName})`,
    parent: "Part of task (its id)",
    addStage: "Add a stage",
    create: "Create task",
    created: (title: string) => `Created: ${title}`,
    empty: "Empty the form",
  },
  {
    priority: "Priorität",
    due: (zoneName: string) => `Fällig (${zoneName})`,
    parent: "Teil von Auftrag (seine Kennung)",
    addStage: "Stufe hinzufügen",
    create: "Auftrag erstellen",
    created: (title: string) => `Erstellt: ${title}`,
    empty: "Formular leeren",
  },
);
const PRIORITIES = ["low", "normal", "high", "urgent"];

export function CreatePanel({ close }: { close: () => void }) {
  const draft = useDraft("new-task");
  const task = useComputed(() => readDraft(draft.value)).value;
  const problem = useSignal<Problem | null>(null);
  const sending = useSignal(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const change = (changes: Partial<NewTask>) => {
    draft.value = JSON.stringify({ ...readDraft(draft.peek()), ...changes });
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (sending.value) return;
    sending.value = true;
    const answer = await call(api.tasks.$post({}, body(taskBody(task))));
    sending.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (!answer.ok) return;
    draft.value = "";
    takeTask({ ...answer.data, truncated: false });
    announce(formTexts.created(answer.data.title));
    changeQuery({ new: null, act: null, task: answer.data.taskId });
  };
  return (
    <aside class="panel" aria-label={texts.newTask} onKeyDown={(event) => closeOnEscape(event, close)}>
      <button type="button" class="bare panel-close" aria-label={words.close} onClick={close}>
        <Icon name="cross" />
      </button>
      <h2 ref={heading} tabIndex={-1}>
        {texts.newTask}
      </h2>
      <form class="create-form" onSubmit={(event) => void submit(event)}>
        <StageTexts stage={task} change={change} />
        <Rest task={task} change={change} />
        <Stages stages={task.stages} change={(stages) => change({ stages })} />
        {task.stages.length < MAX_STAGES && (
          <button
            type="button"
            class="add-stage"
            onClick={() => change({ stages: [...task.stages, EMPTY_STAGE] })}
          >
            <Icon name="plus" />
            {formTexts.addStage}
          </button>
        )}
        {problem.value !== null && <Refused problem={problem.value} />}
        <p class="buttons">
          <button type="submit" class="primary" aria-disabled={sending.value}>
            {sending.value ? texts.sending : formTexts.create}
          </button>
          <button
            type="button"
            onClick={() => {
              draft.value = "";
              heading.current?.focus();
            }}
          >
            {formTexts.empty}
          </button>
        </p>
      </form>
    </aside>
  );
}

interface RestProps {
  readonly task: NewTask;
  change(changes: Partial<NewTask>): void;
}

function Rest({ task, change }: RestProps) {
  return (
    <div class="fields">
      <label>
        {formTexts.priority}
        <select value={task.priority} onChange={(event) => change({ priority: event.currentTarget.value })}>
          {PRIORITIES.map((each) => (
            <option key={each} value={each}>
              {labelOf(words.priorities, each)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {formTexts.due(zone)}
        <input
          type="datetime-local"
          value={task.due}
          onInput={(event) => change({ due: event.currentTarget.value })}
        />
      </label>
      <label class="wide">
        {formTexts.parent}
        <input
          value={task.parentTaskId}
          maxLength={200}
          onInput={(event) => change({ parentTaskId: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}
