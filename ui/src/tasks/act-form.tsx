/** One act on a task: its text, what it leads to, and why it was not done. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Answer, api, body, call, type Problem } from "../api/client.ts";
import type { Task } from "../api/types.ts";
import { words } from "../language/words.ts";
import { announce } from "../parts/announce.tsx";
import { useDraft } from "../parts/draft.ts";
import { ProblemNote } from "../parts/notes.tsx";
import { refusalOf } from "./refusals.ts";
import { type Act, isAllowed, TEXT_IS_OPTIONAL } from "./rules.ts";
import { texts } from "./texts.ts";
import { takeTask } from "./use-board.ts";

type ActedTask = Omit<Task, "truncated">;

interface ActFormProps {
  readonly task: Task;
  readonly act: Act;
  /** After the act was done, or was put off. */
  close(): void;
}

export function ActForm({ task, act, close }: ActFormProps) {
  const draft = useDraft(`task:${task.taskId}:${act}`);
  const problem = useSignal<Problem | null>(null);
  const sending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (sending.value) return;
    sending.value = true;
    const answer = await send(task.taskId, act, draft.value);
    sending.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (!answer.ok) return;
    draft.value = "";
    takeTask({ ...answer.data, truncated: false });
    announce(texts.acted[act]);
    close();
  };
  const id = `act-${act}`;
  return (
    <form class="act-form" onSubmit={(event) => void submit(event)}>
      <label for={id}>{texts.fields[act]}</label>
      <textarea
        id={id}
        ref={field}
        rows={4}
        required={!TEXT_IS_OPTIONAL.has(act)}
        value={draft.value}
        aria-describedby={`${id}-means`}
        onInput={(event) => {
          draft.value = event.currentTarget.value;
        }}
        onKeyDown={submitByKey}
      />
      <p id={`${id}-means`} class="quiet">
        {isAllowed(task, act) ? texts.consequences[act] : texts.notNow}
      </p>
      {problem.value !== null && <Refused problem={problem.value} />}
      <p class="buttons">
        <button type="submit" class="primary" aria-disabled={sending.value}>
          {sending.value ? texts.sending : texts.acts[act]}
        </button>
        <button type="button" onClick={close}>
          {words.close}
        </button>
      </p>
    </form>
  );
}

/** A refusal of the taskboard in words, anything else as everywhere. */
export function Refused({ problem }: { problem: Problem }) {
  const refusal = refusalOf(problem);
  if (refusal === null) return <ProblemNote problem={problem} />;
  return (
    <p class="note problem" role="alert">
      {refusal}
    </p>
  );
}

/** Control or command and Enter sends, where Enter alone makes a new line. */
export function submitByKey(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

function send(id: string, act: Act, text: string): Promise<Answer<ActedTask>> {
  const task = api.tasks[":id"];
  const param = { param: { id } };
  switch (act) {
    case "comment":
      return call(task.comments.$post(param, body({ text })));
    case "complete":
      return call(task.complete.$post(param, body({ result: text })));
    case "block":
      return call(task.block.$post(param, body({ reason: text })));
    case "accept":
    case "reject":
      return call(task.review.$post(param, body({ decision: act, comment: text })));
    case "cancel":
      return call(task.cancel.$post(param, body({ reason: text })));
  }
}
