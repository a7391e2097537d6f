/** How far the mirror of the record lags, where there is one. */
import { api, call } from "../api/client.ts";
import { useLoad } from "../api/use-load.ts";
import { formatCount, formatDuration, formatMoment } from "../language/format.ts";
import { Moment } from "../parts/moment.tsx";
import { texts } from "./texts.ts";

const labels = texts.mirror;

export function MirrorLine({ revision }: { revision: number }) {
  const { loaded } = useLoad((signal) => call(api.mirror.$get({}, { init: { signal } })), [revision]);
  const mirror = loaded.value.data;
  if (mirror === null || mirror.state === "off") return null;
  const { state, lag, lastError, failingSince } = mirror;
  const count = formatCount(lag.rows);
  const rows = lag.atLeast ? labels.atLeast(count) : count;
  return (
    <p class="insight-note" data-mirror={state} data-bad={state === "failing"}>
      {state === "behind"
        ? labels.behind(rows, formatDuration(lag.seconds * 1_000))
        : sentenceOf(state, rows)}
      {state === "failing" && failingSince !== null && (
        <>
          {" "}
          ({labels.since} <Moment iso={failingSince} format={formatMoment} />)
        </>
      )}
      {lastError !== null && (
        <>
          {" "}
          <span class="plain-text" dir="auto">
            {lastError}
          </span>
        </>
      )}
    </p>
  );
}

function sentenceOf(state: "starting" | "filling" | "failing" | "even", rows: string): string {
  return state === "starting" || state === "even" ? labels[state] : labels[state](rows);
}
