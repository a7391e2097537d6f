/** What became of a task, oldest first. */
import type { TaskDetail } from "../api/types.ts";
import { formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Moment } from "../parts/moment.tsx";
import { RichText } from "../parts/rich-text.tsx";
import { texts } from "./texts.ts";

export function History({ events }: { events: TaskDetail["events"] }) {
  return (
    <section class="panel-text">
      <h3>{texts.history}</h3>
      <ol class="history">
        {events.map((event) => (
          <li key={event.uid} data-kind={event.kind}>
            <p class="history-head">
              <AgentName agentId={event.actor} />
              <span>{labelOf(texts.kinds, event.kind)}</span>
              <Moment iso={event.occurredAt} format={formatMoment} />
            </p>
            {event.kind !== "created" && event.text !== "" && <RichText text={event.text} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
