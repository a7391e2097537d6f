/** What wakes the agent without anybody asking: its schedules and its tools' background checks. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, call, type Problem } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import type { Job } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { formatDuration, formatMoment } from "../language/format.ts";
import { labelOf, speak } from "../language/language.ts";
import { addressOf } from "../location/place.ts";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { EmptyNote, LoadingNote, ProblemNote } from "../parts/notes.tsx";

const texts = speak(
  {
    jobs: "Jobs",
    none: "Nothing wakes this agent by itself. Add scheduler or toolJobs to its config.",
    kinds: { schedule: "Schedule", toolJob: "Tool job" },
    on: "on",
    off: "off",
    running: "running",
    last: "Last tick",
    next: "Next tick",
    never: "never",
    run: "Run now",
    begun: "Begun.",
    switchOn: "Switch on",
    switchOff: "Switch off",
    isolated: "isolated",
    itsRun: "its run",
    missed: (ticks: number) => `${ticks} ticks`,
    outcomes: {
      no_action: "nothing to do",
      wake: "woke the agent",
      wake_stateless: "woke it in isolation",
      failed: "failed",
      timeout: "timed out",
      interrupted: "interrupted",
      missed: "missed",
      skipped: "skipped",
    },
    causes: { time: "by its time", person: "by hand", start: "on deploy" },
    paused: "The agent is paused. Resume it, then run the job.",
    busy: "The job is running already.",
    full: "It cannot run now; the agent's queue is full. Try again later.",
  },
  {
    jobs: "Jobs",
    none: "Nichts weckt diesen Agenten von selbst. Trage scheduler oder toolJobs in seine Konfiguration ein.",
    kinds: { schedule: "Zeitplan", toolJob: "Tool-Job" },
    on: "an",
    off: "aus",
    running: "läuft",
    last: "Letzter Tick",
    next: "Nächster Tick",
    never: "nie",
    run: "Jetzt ausführen",
    begun: "Begonnen.",
    switchOn: "Einschalten",
    switchOff: "Ausschalten",
    isolated: "isoliert",
    itsRun: "sein Lauf",
    missed: (ticks: number) => `${ticks} Ticks`,
    outcomes: {
      no_action: "nichts zu tun",
      wake: "hat den Agenten geweckt",
      wake_stateless: "hat ihn isoliert geweckt",
      failed: "fehlgeschlagen",
      timeout: "Zeit überschritten",
      interrupted: "unterbrochen",
      missed: "verpasst",
      skipped: "ausgelassen",
    },
    causes: { time: "zu seiner Zeit", person: "von Hand", start: "beim Deploy" },
    paused: "Der Agent ist angehalten. Setze ihn fort und führe den Job dann aus.",
    busy: "Der Job läuft schon.",
    full: "Er kann jetzt nicht laufen; die Warteschlange des Agenten ist voll. Versuche es später.",
  },
);

export function Jobs({ agentId }: { agentId: string }) {
  const { loaded, reload } = useLoad((signal) => call(api.jobs.$get({}, { init: { signal } })), [agentId]);
  useEffect(
    () =>
      onLive(({ type, data }) => {
        const of = typeof data === "object" && data !== null ? Reflect.get(data, "agentId") : null;
        if ((type === "job" || type === "run") && of === agentId) reload();
      }),
    [agentId, reload],
  );
  const { data, problem } = loaded.value;
  const jobs = data?.filter((job) => job.agentId === agentId);
  return (
    <section class="jobs" aria-label={texts.jobs}>
      {problem !== null && <ProblemNote problem={problem} retry={reload} />}
      {data === null && problem === null && <LoadingNote />}
      {jobs?.length === 0 && <EmptyNote>{texts.none}</EmptyNote>}
      <ul>
        {jobs?.map((job) => (
          <li key={job.jobId}>
            <JobCard job={job} changed={reload} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function JobCard({ job, changed }: { job: Job; changed: () => void }) {
  return (
    <article class="job" data-job={job.jobId} data-enabled={job.enabled}>
      <header>
        <h2>{job.name ?? job.jobId}</h2>
        <span class="quiet">
          {labelOf(texts.kinds, job.kind)}
          {job.toolName !== null && ` ${job.toolName}`}
          {job.stateless === true && `, ${texts.isolated}`}
        </span>
        <span class={job.running ? "tone-busy" : "quiet"}>
          {job.running ? texts.running : job.enabled ? texts.on : texts.off}
        </span>
      </header>
      {job.taskMessage !== null && (
        <p class="plain-text" dir="auto">
          {job.taskMessage}
        </p>
      )}
      <p>
        <code>{job.cron}</code> <span class="quiet">{job.timeZone}</span>
      </p>
      <dl>
        <dt>{texts.last}</dt>
        <dd>
          <LastTick job={job} />
        </dd>
        <dt>{texts.next}</dt>
        <dd>{job.nextTick === null ? texts.never : <Moment iso={job.nextTick} format={formatMoment} />}</dd>
      </dl>
      <JobButtons job={job} changed={changed} />
    </article>
  );
}

const BAD = ["failed", "timeout", "interrupted"];

function LastTick({ job: { lastTick: tick } }: { job: Job }) {
  if (tick === null) return texts.never;
  return (
    <>
      <Moment iso={tick.finishedAt} format={formatMoment} />{" "}
      <span class={BAD.includes(tick.outcome) ? "tone-bad" : "quiet"}>
        {labelOf(texts.outcomes, tick.outcome)}, {labelOf(texts.causes, tick.cause)},{" "}
        {formatDuration(tick.durationMs)}
        {tick.ticks > 1 && `, ${texts.missed(tick.ticks)}`}
      </span>{" "}
      {tick.runId !== null && (
        <a href={addressOf({ view: "chain", id: tick.runId, query: { run: tick.runId } })}>{texts.itsRun}</a>
      )}
      {tick.summary !== null && (
        <p class="plain-text" dir="auto">
          {tick.summary}
        </p>
      )}
    </>
  );
}

function JobButtons({ job, changed }: { job: Job; changed: () => void }) {
  const problem = useSignal<Problem | null>(null);
  const { agentId, jobId, enabled } = job;
  const param = { param: { agentId, jobId } };
  const route = api.jobs[":agentId"][":jobId"];
  const name = <span class="unseen"> {job.name ?? jobId}</span>;
  const run = async () => {
    const answer = await call(route.run.$post(param));
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) announce(texts.begun);
    changed();
  };
  const change = async () => {
    const answer = await call(enabled ? route.disable.$post(param) : route.enable.$post(param));
    problem.value = answer.ok ? null : answer.problem;
    changed();
  };
  return (
    <>
      {problem.value !== null && <RefusedJob problem={problem.value} />}
      <p class="buttons">
        <button type="button" onClick={() => void run()}>
          <Icon name="play" />
          {texts.run}
          {name}
        </button>
        <button type="button" onClick={() => void change()}>
          {enabled ? texts.switchOff : texts.switchOn}
          {name}
        </button>
      </p>
    </>
  );
}

function RefusedJob({ problem }: { problem: Problem }) {
  const sentences = { paused: texts.paused, refused: texts.busy, queue_full: texts.full };
  const sentence = labelOf(sentences, problem.code);
  if (sentence === problem.code) return <ProblemNote problem={problem} />;
  return (
    <p class="note problem" role="alert">
      {sentence}
    </p>
  );
}
