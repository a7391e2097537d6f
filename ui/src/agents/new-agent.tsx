/** A document for somebody new. */
import { useEffect, useRef } from "preact/hooks";
import { api, body, call } from "../api/client.ts";
import { loadTeam, team } from "../api/team.ts";
import { addressOf, goTo } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { configTexts } from "./config-texts.ts";
import { commonFields, formatDocument, NEW_DOCUMENT } from "./document.ts";
import { DocumentEditor } from "./document-editor.tsx";
import { texts } from "./texts.ts";

const TEMPLATE = formatDocument(NEW_DOCUMENT);

export function NewAgent() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="agent-page">
      <a class="back" href="/agents">
        <Icon name="back" />
        {texts.back}
      </a>
      <h1 ref={heading} tabIndex={-1}>
        {configTexts.newTitle}
      </h1>
      <DocumentEditor name="new-agent" saved={TEMPLATE} isNew submit={configTexts.create} save={create} />
    </div>
  );
}

async function create(document: Readonly<Record<string, unknown>>) {
  const { agentId } = commonFields(document);
  if (team.peek().some((agent) => agent.agentId === agentId)) return refused("agentId", configTexts.taken);
  const named = Object.fromEntries(
    Object.entries(document).filter(([name, value]) => name !== "name" || value !== ""),
  );
  const answer = await call(
    api.agents[":agentId"].$put(
      { param: { agentId: agentId === "" ? "-" : encodeURIComponent(agentId) } },
      body(named),
    ),
  );
  if (!answer.ok) return answer;
  announce(configTexts.created);
  await loadTeam();
  goTo(addressOf({ view: "agents", id: agentId, query: { tab: "config" } }));
  return { ...answer, data: answer.data.warnings };
}

function refused(path: string, message: string) {
  const problem = { kind: "invalid", code: "bad_request", message: "", issues: [{ path, message }] } as const;
  return { ok: false, problem } as const;
}
