/** Small parts that every reading of a chain has in common. */
import { team } from "../api/team.ts";
import { decimal, formatDuration, formatMoney } from "../language/format.ts";
import { words } from "../language/words.ts";
import { Status } from "../parts/status.tsx";
import type { ChainRun } from "./chain-run.ts";
import { reasonWords } from "./reasons.ts";
import { texts } from "./texts.ts";
import { type Sum, weightOf } from "./tree.ts";

/** How it stands, and why where it did not complete. */
export function RunStatus({ run }: { run: ChainRun }) {
  return (
    <span class="run-status">
      <Status of="run" value={run.status ?? "started"} />
      {run.reason !== null && <span class="reason"> {reasonWords(run.reason)}</span>}
    </span>
  );
}

/** Nothing for a run under way, of which it is not known yet. */
export function Model({ run }: { run: ChainRun }) {
  const { agentId, model } = run;
  if (model === null) return null;
  const agent = team.value.find((each) => each.agentId === agentId);
  const isScripted = model === "scripted" || (agent?.provider === "scripted" && agent.model === model);
  return (
    <span class="model" title={isScripted ? texts.scriptedHint : undefined}>
      {isScripted ? <span class="scripted">{texts.scripted}</span> : null}
      {model === "scripted" ? null : <bdi>{model}</bdi>}
    </span>
  );
}

export function ownTime({ durationMs }: ChainRun): string {
  return durationMs === null ? "\u2013" : formatDuration(durationMs);
}

export function ownCost({ status, costUsd }: ChainRun): string {
  return status === null ? "\u2013" : formatMoney(costUsd, words.unknownCost);
}

/** "At least" where some of the runs have no price. */
export function sumCost({ costUsd, unpriced }: Sum): string {
  const cost = formatMoney(costUsd, words.unknownCost);
  return unpriced > 0 && costUsd !== null ? texts.atLeast(cost) : cost;
}

/** A part of the parent's, in a colour that says how much, always with the number. */
export function Share({ part }: { part: number | null }) {
  if (part === null) return null;
  const percent = `${decimal(100 * part, 0)}\u00a0%`;
  return (
    <span class="share" data-weight={weightOf(part)} title={texts.sharePart(percent)}>
      {percent}
      <span class="unseen"> {texts.ofParent}</span>
    </span>
  );
}
