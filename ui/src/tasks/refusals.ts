/** Why the taskboard did not do it, and what to do about it. */
import type { Problem } from "../api/client.ts";
import { labelOf, speak } from "../language/language.ts";

const REFUSALS = speak(
  {
    not_yours: "This task is another's: only its assignee can finish or block it.",
    wrong_status: "The task has moved on, so this is not possible any more.",
    already_over: "The task is over already.",
    busy: "Others changed the task in the same moment. Nothing was written; try again.",
    unknown_agent: "There is no such agent any more. Choose another assignee, in the stages too.",
    no_such_task: "There is no parent task with that id.",
    not_found: "There is no task with that id any more.",
    runs: "The chain has used up its runs. Open the chain and release it first.",
    depth: "The chain has become too deep for another task.",
    frozen: "The chain is frozen. Open it and release it first.",
    cancelled: "The chain was cancelled. Open it and release it first.",
    too_large: "That is too much text for one request.",
  },
  {
    not_yours:
      "Der Auftrag gehört jemand anderem: Nur wer zuständig ist, kann ihn erledigen oder blockieren.",
    wrong_status: "Der Auftrag ist inzwischen weiter, deshalb geht das nicht mehr.",
    already_over: "Der Auftrag ist schon vorbei.",
    busy: "Andere haben den Auftrag im selben Moment geändert. Nichts wurde geschrieben; versuche es noch einmal.",
    unknown_agent: "Diesen Agenten gibt es nicht mehr. Wähle einen anderen, auch in den Stufen.",
    no_such_task: "Es gibt keinen übergeordneten Auftrag mit dieser Kennung.",
    not_found: "Es gibt keinen Auftrag mit dieser Kennung mehr.",
    runs: "Der Vorgang hat seine Läufe aufgebraucht. Öffne ihn und gib ihn erst frei.",
    depth: "Der Vorgang ist zu tief für noch einen Auftrag.",
    frozen: "Der Vorgang ist eingefroren. Öffne ihn und gib ihn erst frei.",
    cancelled: "Der Vorgang wurde abgebrochen. Öffne ihn und gib ihn erst frei.",
    too_large: "Das ist zu viel Text für eine Anfrage.",
  },
);

const UNCERTAIN = speak(
  { lost: "No answer came. It may have been done all the same: look at the task before you send it again." },
  {
    lost: "Es kam keine Antwort. Vielleicht ist es trotzdem geschehen: Sieh dir den Auftrag an, bevor du es noch einmal sendest.",
  },
);

/** The sentence for a known refusal; null for what `ProblemNote` says better. */
export function refusalOf({ kind, code, issues }: Problem): string | null {
  if (kind === "offline") return UNCERTAIN.lost;
  for (const name of [issues[0]?.message ?? "", code])
    if (Object.hasOwn(REFUSALS, name)) return labelOf(REFUSALS, name);
  return null;
}
