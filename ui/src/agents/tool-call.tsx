/** A tool call, folded: what it was given and what came back. */
import { useSignal } from "@preact/signals";
import { api, call as request } from "../api/client.ts";
import { Status } from "../parts/status.tsx";
import type { ShownCall } from "./chat-stream.ts";
import { chatTexts } from "./chat-texts.ts";

interface ToolCallProps {
  readonly call: ShownCall;
  readonly of: { readonly runId: string; readonly step: number; readonly position: number };
}

export function ToolCall({ call, of }: ToolCallProps) {
  const found = useSignal<string | null>(null);
  const failed = useSignal(false);
  const given = call.arguments === "" ? found.value : call.arguments;
  const unfold = async () => {
    if (given !== null) return;
    found.value = await argumentsOf(of);
    failed.value = found.value === null;
  };
  return (
    <details class="tool-call" onToggle={() => void unfold()}>
      <summary>
        <code>{call.name}</code>
        <Status of={call.outcome === null ? "run" : "outcome"} value={call.outcome ?? "started"} />
      </summary>
      <dl>
        <dt>{chatTexts.arguments}</dt>
        <dd class="plain-text">{given ?? (failed.value ? chatTexts.unread : "...")}</dd>
        {call.result !== null && (
          <>
            <dt>{chatTexts.result}</dt>
            <dd class="plain-text">{call.result}</dd>
          </>
        )}
      </dl>
    </details>
  );
}

/**
 * A conversation does not carry them; the run's audit entries do, and are named by the call's place. Null when
 * they could not be read.
 */
async function argumentsOf({ runId, step, position }: ToolCallProps["of"]): Promise<string | null> {
  const answer = await request(api.runs[":runId"].$get({ param: { runId } }));
  if (!answer.ok) return null;
  const entry = answer.data.audit.find(({ uid }) => uid === `${runId}:${step}:${position}`);
  return entry?.arguments ?? chatTexts.noArguments;
}
