/** The texts that a task and each of its stages have, and the list of stages. */
import { useRef } from "preact/hooks";
import { speak } from "../language/language.ts";
import { AssigneeSelect } from "./assignee-select.tsx";
import type { NewStage } from "./new-task.ts";

const texts = speak(
  {
    title: "Title",
    description: "Description",
    acceptance: "Accepted when (then the result is reviewed)",
    assignee: "For",
    stage: (number: number) => `Stage ${number}: begins when the one before is done, with its result`,
    remove: (number: number) => `Remove stage ${number}`,
  },
  {
    title: "Titel",
    description: "Beschreibung",
    acceptance: "Abgenommen, wenn (dann wird das Ergebnis geprüft)",
    assignee: "Für",
    stage: (number: number) => `Stufe ${number}: beginnt, wenn die davor erledigt ist, mit deren Ergebnis`,
    remove: (number: number) => `Stufe ${number} entfernen`,
  },
);

interface StageTextsProps {
  readonly stage: NewStage;
  change(changes: Partial<NewStage>): void;
}

export function StageTexts({ stage, change }: StageTextsProps) {
  return (
    <>
      <label>
        {texts.title}
        <input
          value={stage.title}
          required
          maxLength={300}
          dir="auto"
          onInput={(event) => change({ title: event.currentTarget.value })}
        />
      </label>
      <AssigneeSelect
        label={texts.assignee}
        value={stage.assignee}
        choose={(assignee) => change({ assignee })}
      />
      <label>
        {texts.description}
        <textarea
          value={stage.description}
          required
          rows={4}
          dir="auto"
          onInput={(event) => change({ description: event.currentTarget.value })}
        />
      </label>
      <label>
        {texts.acceptance}
        <textarea
          value={stage.acceptance}
          rows={2}
          dir="auto"
          onInput={(event) => change({ acceptance: event.currentTarget.value })}
        />
      </label>
    </>
  );
}

interface StagesProps {
  readonly stages: readonly NewStage[];
  change(stages: readonly NewStage[]): void;
}

export function Stages({ stages, change }: StagesProps) {
  const list = useRef<HTMLDivElement>(null);
  const remove = (index: number) => {
    change(stages.filter((_, at) => at !== index));
    // Its own button goes with the stage: the focus goes to the button that adds one.
    list.current?.parentElement?.querySelector<HTMLElement>(".add-stage")?.focus();
  };
  return (
    <div ref={list} class="stage-list">
      {stages.map((stage, index) => (
        <fieldset key={index}>
          <legend>{texts.stage(index + 1)}</legend>
          <StageTexts
            stage={stage}
            change={(changes) =>
              change(stages.map((each, at) => (at === index ? { ...each, ...changes } : each)))
            }
          />
          <button type="button" onClick={() => remove(index)}>
            {texts.remove(index + 1)}
          </button>
        </fieldset>
      ))}
    </div>
  );
}
