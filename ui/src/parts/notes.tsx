/** Sentences that stand where content is missing: nothing there yet, loading, or a problem with the next step. */
import type { ComponentChildren } from "preact";
import type { Problem } from "../api/client.ts";
import { speak } from "../language/language.ts";
import { words } from "../language/words.ts";

const texts = speak(
  {
    offline: "The instance does not answer. What you see is kept; it is tried again by itself.",
    failed: "The instance answered with an error. Its log says why.",
    refused: "You are not signed in any more.",
    forbidden: "Your role does not allow this.",
    invalid: "The instance did not accept this.",
  },
  {
    offline:
      "Die Instanz antwortet nicht. Was du siehst, bleibt stehen; der nächste Versuch kommt von selbst.",
    failed: "Die Instanz hat mit einem Fehler geantwortet. Der Grund steht in ihrem Log.",
    refused: "Du bist nicht mehr angemeldet.",
    forbidden: "Deine Rolle erlaubt das nicht.",
    invalid: "Die Instanz hat das nicht angenommen.",
  },
);

export function EmptyNote({ children }: { children: ComponentChildren }) {
  return <p class="note">{children}</p>;
}

/** Says that something is on its way; the bar appears when it takes longer than a second. */
export function LoadingNote() {
  return (
    <p class="note loading">
      {words.loading}
      <progress aria-label={words.loading} />
    </p>
  );
}

/** @param retry missing: it is tried again by itself */
export function ProblemNote({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div class="note problem" role="alert">
      <p>
        {texts[problem.kind]}
        {problem.message !== "" && <span class="reason"> {problem.message}</span>}
      </p>
      {problem.issues.length > 0 && (
        <ul>
          {problem.issues.map((issue) => (
            <li key={issue.path + issue.message}>
              {issue.path !== "" && <code>{issue.path}</code>} {issue.message}
            </li>
          ))}
        </ul>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          {words.retry}
        </button>
      )}
    </div>
  );
}
