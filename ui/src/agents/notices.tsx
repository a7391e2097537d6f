/** What a person should know, the newest first. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, call } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import type { Notice } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { addressOf } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Moment } from "../parts/moment.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { texts } from "./texts.ts";

const FIRST = 8;

export function Notices() {
  const { loaded, reload } = useLoad((signal) => call(api.notices.$get({}, { init: { signal } })), []);
  const all = useSignal(false);
  useEffect(() => onLive(({ type }) => type === "notice" && reload()), [reload]);
  const { data, problem } = loaded.value;
  const shown = data === null || all.value ? data : data.slice(0, FIRST);
  return (
    <section class="notices" aria-labelledby="notices-title">
      <h2 id="notices-title" tabIndex={-1}>
        {texts.notices}
      </h2>
      {problem !== null && <ProblemNote problem={problem} retry={reload} />}
      {data === null && problem === null && <LoadingNote />}
      {data?.length === 0 && <EmptyNote>{texts.noNotices}</EmptyNote>}
      <ol>
        {shown?.map((notice) => (
          <li key={notice.uid}>
            <NoticeLine notice={notice} />
          </li>
        ))}
      </ol>
      {data !== null && data.length > FIRST && !all.value && (
        <button
          type="button"
          onClick={() => {
            all.value = true;
            document.getElementById("notices-title")?.focus();
          }}
        >
          {texts.allNotices(data.length)}
        </button>
      )}
    </section>
  );
}

function NoticeLine({ notice }: { notice: Notice }) {
  return (
    <article class="notice">
      <p class="notice-head">
        <strong>{labelOf(texts.noticeKinds, notice.kind)}</strong>
        {notice.agentId !== null && <AgentName agentId={notice.agentId} />}
        <Moment iso={notice.occurredAt} format={formatMoment} />
        {notice.rootRunId !== null && (
          <a href={addressOf({ view: "chain", id: notice.rootRunId })}>{texts.chain}</a>
        )}
      </p>
      <p dir="auto">{notice.text}</p>
    </article>
  );
}
