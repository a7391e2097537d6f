/** Editing an agent's document, by form or as a whole; its faults with the lines where they stand. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Answer, Problem } from "../api/client.ts";
import { addressOf, place } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { useDraft } from "../parts/draft.ts";
import { ProblemNote } from "../parts/notes.tsx";
import { ConfigForm } from "./config-form.tsx";
import { configTexts } from "./config-texts.ts";
import { parseDocument } from "./document.ts";
import { JsonEditor, showLine } from "./json-editor.tsx";
import { findPlaces, lineAt, lineOfPath } from "./json-places.ts";
import "./config.css";

type Issue = Problem["issues"][number];
type Outcome = "editing" | "saving" | { readonly saved: readonly Issue[] } | { readonly problem: Problem };

interface EditorProps {
  /** Under which the changes are kept. */
  readonly name: string;
  /** The document as it is saved. */
  readonly saved: string;
  readonly isNew: boolean;
  readonly submit: string;
  /** Answers what to look at although it was saved. */
  save(document: Readonly<Record<string, unknown>>): Promise<Answer<readonly Issue[]>>;
}

export function DocumentEditor({ name, saved, isNew, submit, save }: EditorProps) {
  const { text, isChanged, isMoved, edit, discard } = useEdited(name, saved);
  const outcome = useSignal<Outcome>("editing");
  const field = useRef<HTMLTextAreaElement>(null);
  const heading = useRef<HTMLParagraphElement>(null);
  useLeaveWarning(isChanged);
  const asJson = place.value.query.as === "json";
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    if (outcome.value === "saving") return;
    outcome.value = "saving";
    outcome.value = await trySave(text, save);
    if (typeof outcome.value === "object" && "saved" in outcome.value) {
      discard();
      announce(configTexts.saved);
    }
  };
  useEffect(() => {
    if (typeof outcome.value === "object") heading.current?.focus();
  }, [outcome.value]);
  return (
    <form class="document" onSubmit={(event) => void onSubmit(event)}>
      <nav class="switch" aria-label={configTexts.shownAs}>
        <a href={here(null)} aria-current={asJson ? undefined : "true"}>
          {configTexts.form}
        </a>
        <a href={here("json")} aria-current={asJson ? "true" : undefined}>
          {configTexts.json}
        </a>
      </nav>
      {isMoved && <p class="tone-warn">{configTexts.moved}</p>}
      <Outcomes outcome={outcome.value} text={text} field={asJson ? field : null} heading={heading} />
      {asJson ? (
        <JsonEditor text={text} field={field} edit={edit} />
      ) : (
        <ConfigForm text={text} isNew={isNew} edit={edit} />
      )}
      <p class="buttons">
        <button type="submit" class="primary" aria-disabled={outcome.value === "saving"}>
          {outcome.value === "saving" ? configTexts.saving : submit}
        </button>
        <button
          type="button"
          onClick={() => {
            discard();
            outcome.value = "editing";
          }}
        >
          {configTexts.discard}
        </button>
        {isChanged && <span class="tone-warn">{configTexts.unsaved}</span>}
      </p>
    </form>
  );
}

function here(as: string | null): string {
  const { view, id, query } = place.value;
  return addressOf({ view, id, query: { ...query, as } });
}

/** The text as edited, kept over leaving and loading anew until it is saved or discarded. */
function useEdited(name: string, saved: string) {
  const draft = useDraft(name);
  const base = useDraft(`${name}:base`);
  const edited = useSignal(draft.peek() === "" ? null : draft.peek());
  const set = (text: string | null) => {
    if (edited.peek() === null) base.value = saved;
    edited.value = text === saved ? null : text;
    draft.value = edited.value ?? "";
    if (edited.value === null) base.value = "";
  };
  return {
    text: edited.value ?? saved,
    isChanged: edited.value !== null,
    isMoved: edited.value !== null && base.value !== saved,
    edit: set,
    discard: () => set(null),
  };
}

function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isChanged]);
}

async function trySave(text: string, save: EditorProps["save"]): Promise<Outcome> {
  const document = parseDocument(text);
  if (document === null) {
    const issues = [{ path: "", message: configTexts.syntax }];
    return { problem: { kind: "invalid", code: "bad_request", message: "", issues } };
  }
  const answer = await save(document);
  return answer.ok ? { saved: answer.data } : { problem: answer.problem };
}

interface OutcomesProps {
  readonly outcome: Outcome;
  readonly text: string;
  /** Null where the text is not shown. */
  readonly field: { readonly current: HTMLTextAreaElement | null } | null;
  readonly heading: { current: HTMLParagraphElement | null };
}

function Outcomes({ outcome, text, field, heading }: OutcomesProps) {
  if (typeof outcome === "string") return null;
  const problem = "problem" in outcome ? outcome.problem : null;
  const issues = "saved" in outcome ? outcome.saved : outcome.problem.issues;
  if (problem !== null && issues.length === 0)
    return problem.kind === "offline" ? (
      <p role="alert">{configTexts.lost}</p>
    ) : (
      <ProblemNote problem={problem} />
    );
  const title = issues.length === 0 ? configTexts.saved : configTexts.warnings;
  return (
    <div class="issues" data-saved={problem === null}>
      <p ref={heading} tabIndex={-1}>
        <strong>{problem === null ? title : configTexts.faults}</strong>
      </p>
      <ul>
        {issues.map((issue) => (
          <IssueLine key={issue.path + issue.message} issue={issue} text={text} field={field} />
        ))}
      </ul>
    </div>
  );
}

function IssueLine({ issue, text, field }: Pick<OutcomesProps, "text" | "field"> & { issue: Issue }) {
  const line = lineOf(text, issue.path);
  return (
    <li>
      {issue.path !== "" && <code>{issue.path}</code>} {issue.message}{" "}
      {field !== null && line !== null && (
        <button type="button" class="jump" onClick={() => showLine(field.current, line)}>
          {configTexts.line(line + 1)}
        </button>
      )}
    </li>
  );
}

function lineOf(text: string, path: string): number | null {
  const found = findPlaces(text);
  return found.ok ? lineOfPath(text, path) : lineAt(text, found.offset);
}
