/** The agent's document: read, changed, and the agent taken out of service. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { api, body, call, type Problem } from "../api/client.ts";
import { nameOf } from "../api/team.ts";
import { useLoad } from "../api/use-load.ts";
import { goTo } from "../location/place.ts";
import { LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { configTexts } from "./config-texts.ts";
import { ConfirmButton } from "./confirm.tsx";
import { formatDocument } from "./document.ts";
import { DocumentEditor } from "./document-editor.tsx";
import { texts } from "./texts.ts";

export function Config({ agentId, changed }: { agentId: string; changed: () => void }) {
  const route = api.agents[":agentId"];
  const param = { param: { agentId } };
  const { loaded, reload } = useLoad((signal) => call(route.$get(param, { init: { signal } })), [agentId]);
  const { data, problem } = loaded.value;
  const saved = useMemo(() => formatDocument(data), [data]);
  const save = async (document: Readonly<Record<string, unknown>>) => {
    const answer = await call(route.$put(param, body(document)));
    if (!answer.ok) return answer;
    const { warnings, ...now } = answer.data;
    loaded.value = { data: now, problem: null, loading: false };
    changed();
    return { ...answer, data: warnings };
  };
  return (
    <section class="config" aria-label={texts.tabs.config}>
      {problem !== null && <ProblemNote problem={problem} retry={reload} />}
      {data === null && problem === null && <LoadingNote />}
      {data !== null && (
        <DocumentEditor
          name={`config:${agentId}`}
          saved={saved}
          isNew={false}
          submit={configTexts.save}
          save={save}
        />
      )}
      <Remove agentId={agentId} changed={changed} />
    </section>
  );
}

function Remove({ agentId, changed }: { agentId: string; changed: () => void }) {
  const problem = useSignal<Problem | null>(null);
  const remove = async () => {
    const answer = await call(api.agents[":agentId"].$delete({ param: { agentId } }));
    problem.value = answer.ok ? null : answer.problem;
    if (!answer.ok) return;
    changed();
    goTo("/agents");
  };
  return (
    <div class="remove">
      <ConfirmButton
        label={configTexts.remove}
        question={configTexts.removeQuestion(nameOf(agentId))}
        yes={configTexts.remove}
        act={() => void remove()}
      />
      {problem.value !== null && <ProblemNote problem={problem.value} />}
    </div>
  );
}
