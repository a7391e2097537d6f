/** What a run did, loaded when somebody wants to see it. */
import { useSignal } from "@preact/signals";
import { api, call } from "../api/client.ts";
import { useLoad } from "../api/use-load.ts";
import { formatCount, formatDuration } from "../language/format.ts";
import { LoadingNote, ProblemNote } from "../parts/notes.tsx";
import { readable } from "../parts/readable.ts";
import { RichText } from "../parts/rich-text.tsx";
import { Status } from "../parts/status.tsx";
import type { ChainRun } from "./chain-run.ts";
import { type ShownCall, stepsOf } from "./steps.ts";
import { texts } from "./texts.ts";

export function Steps({ run }: { run: ChainRun }) {
  const wanted = useSignal(false);
  return (
    <details
      class="steps"
      onToggle={(event) => {
        if (event.currentTarget.open) wanted.value = true;
      }}
    >
      <summary>{texts.stepsOpen}</summary>
      {wanted.value && <Loaded run={run} />}
    </details>
  );
}

function Loaded({ run: { runId, status } }: { run: ChainRun }) {
  const { loaded, reload } = useLoad(
    (signal) =>
      call(api.runs[":runId"].$get({ param: { runId: encodeURIComponent(runId) } }, { init: { signal } })),
    [runId, status],
  );
  const { data, problem } = loaded.value;
  if (problem !== null) return <ProblemNote problem={problem} retry={reload} />;
  if (data === null) return <LoadingNote />;
  const { run } = data;
  const steps = stepsOf(data);
  return (
    <>
      {"input" in run && <Said label={texts.input} text={run.input} />}
      {steps.length === 0 && <p class="quiet">{texts.noSteps}</p>}
      <ol class="step-list">
        {steps.map(({ number, text, calls }) => (
          <li key={number ?? 0}>
            {number !== null && <h4>{texts.step(formatCount(number))}</h4>}
            {text !== "" && <RichText text={text} />}
            {calls.map((each) => (
              <Call key={each.key} call={each} />
            ))}
          </li>
        ))}
      </ol>
      {"reply" in run && run.reply !== null && run.reply !== "" && (
        <Said label={texts.reply} text={run.reply} />
      )}
    </>
  );
}

function Said({ label, text }: { label: string; text: string }) {
  return (
    <details class="call">
      <summary>{label}</summary>
      <RichText text={text} />
    </details>
  );
}

function Call({ call: made }: { call: ShownCall }) {
  return (
    <details class="call" data-outcome={made.outcome}>
      <summary>
        <code>{made.name}</code>{" "}
        {made.outcome === null ? (
          <span class="quiet">{texts.openCall}</span>
        ) : (
          <Status of="outcome" value={made.outcome} />
        )}
        {made.durationMs !== null && <span class="quiet"> {formatDuration(made.durationMs)}</span>}
      </summary>
      <dl>
        {made.arguments !== null && (
          <>
            <dt>{texts.arguments}</dt>
            <dd>
              <pre>{readable(made.arguments)}</pre>
            </dd>
          </>
        )}
        {made.error !== null && (
          <>
            <dt>{texts.error}</dt>
            <dd class="plain-text tone-bad" dir="auto">
              {made.error}
            </dd>
          </>
        )}
        {made.result !== null && made.result !== made.error && (
          <>
            <dt>{texts.result}</dt>
            <dd class="plain-text" dir="auto">
              {made.result}
            </dd>
          </>
        )}
      </dl>
    </details>
  );
}
