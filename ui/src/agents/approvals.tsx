/** Tool calls that a person must allow, with what they would do. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, body, call, type Problem } from "../api/client.ts";
import type { Approval } from "../api/types.ts";
import { formatMoment } from "../language/format.ts";
import { labelOf, speak } from "../language/language.ts";
import { addressOf } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { announce } from "../parts/announce.tsx";
import { useDraft } from "../parts/draft.ts";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { readable } from "../parts/readable.ts";
import { approvals, forgetApproval, loadApprovals } from "./waiting-approvals.ts";

const texts = speak(
  {
    title: (count: number) => `Waits for your approval (${count})`,
    asks: "asks for leave to call",
    arguments: "Arguments",
    whole: "Show all of it",
    cut: "cut here",
    until: "Refused by itself at",
    chain: "Open the chain",
    comment: "What the agent shall hear (optional)",
    approve: "Approve",
    reject: "Reject",
    call: (tool: string, agentId: string) => `${tool} of ${agentId}`,
    approved: "Approved. The call is being made, and the agent hears of it.",
    rejected: "Rejected. The agent hears of it.",
    codes: {
      already_decided: "Somebody has decided this already.",
      expired: "The time was over: the call was refused by itself.",
    },
  },
  {
    title: (count: number) => `Wartet auf deine Freigabe (${count})`,
    asks: "bittet um Erlaubnis für den Aufruf",
    arguments: "Argumente",
    whole: "Alles zeigen",
    cut: "hier abgeschnitten",
    until: "Wird von selbst abgelehnt am",
    chain: "Vorgang öffnen",
    comment: "Was der Agent dazu hören soll (freiwillig)",
    approve: "Freigeben",
    reject: "Ablehnen",
    call: (tool: string, agentId: string) => `${tool} von ${agentId}`,
    approved: "Freigegeben. Der Aufruf wird gemacht, und der Agent erfährt es.",
    rejected: "Abgelehnt. Der Agent erfährt es.",
    codes: {
      already_decided: "Darüber hat schon jemand entschieden.",
      expired: "Die Zeit war um: Der Aufruf wurde von selbst abgelehnt.",
    },
  },
);

/** Nothing while nothing waits. */
export function Approvals() {
  const waiting = approvals.value;
  const refused = useSignal<Problem | null>(null);
  useEffect(() => void loadApprovals(), []);
  const decided = (problem: Problem | null) => {
    refused.value = problem;
    void loadApprovals();
    // The card with the button that was pressed is about to go, and the section with the last one.
    document.querySelector<HTMLElement>("main h1")?.focus();
  };
  if (waiting.length === 0 && refused.value === null) return null;
  return (
    <section class="approvals" aria-labelledby="approvals-title">
      <h2 id="approvals-title" tabIndex={-1}>
        {texts.title(waiting.length)}
      </h2>
      {refused.value !== null && <Refused problem={refused.value} />}
      <ol>
        {waiting.map((approval) => (
          <li key={approval.approvalId}>
            <ApprovalCard approval={approval} decided={decided} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Refused({ problem }: { problem: Problem }) {
  const code = problem.issues[0]?.message ?? "";
  const sentence = labelOf(texts.codes, code);
  if (sentence === code) return <ProblemNote problem={problem} />;
  return (
    <p class="note problem" role="alert">
      {sentence}
    </p>
  );
}

interface CardProps {
  readonly approval: Approval;
  /** Told once there is an answer; null when all went well. */
  decided(problem: Problem | null): void;
}

function ApprovalCard({ approval, decided }: CardProps) {
  const { agentId, tool, rootRunId, requestedAt, expiresAt } = approval;
  return (
    <article class="approval card" data-approval={approval.approvalId}>
      <p>
        <AgentName agentId={agentId} /> {texts.asks} <code>{tool}</code>{" "}
        <Moment iso={requestedAt} format={formatMoment} />
      </p>
      <Arguments approval={approval} />
      <p class="quiet">
        {texts.until} <Moment iso={expiresAt} format={formatMoment} />.{" "}
        <a href={addressOf({ view: "chain", id: rootRunId, query: { run: approval.runId } })}>
          {texts.chain}
        </a>
      </p>
      <DecisionForm approval={approval} decided={decided} />
    </article>
  );
}

/** What the call would be made with; nobody should allow what cannot be read. */
function Arguments({ approval }: { approval: Approval }) {
  const whole = useSignal<string | null>(approval.truncated ? null : approval.arguments);
  const block = useRef<HTMLElement>(null);
  const load = async () => {
    const param = { approvalId: encodeURIComponent(approval.approvalId) };
    const answer = await call(api.approvals[":approvalId"].$get({ param }));
    if (!answer.ok) return;
    whole.value = answer.data.arguments;
    block.current?.focus();
  };
  return (
    <>
      <section ref={block} class="arguments" tabIndex={-1} aria-label={texts.arguments}>
        <pre class="plain-text" dir="auto">
          {readable(whole.value ?? approval.arguments)}
        </pre>
      </section>
      {whole.value === null && (
        <p class="quiet">
          {texts.cut}{" "}
          <button type="button" onClick={() => void load()}>
            {texts.whole}
          </button>
        </p>
      )}
    </>
  );
}

function DecisionForm({ approval, decided }: CardProps) {
  const { approvalId, agentId, tool } = approval;
  const comment = useDraft(`approval:${approvalId}`);
  const busy = useSignal(false);
  const decide = async (decision: "approve" | "reject") => {
    busy.value = true;
    const param = { approvalId: encodeURIComponent(approvalId) };
    const request = body({ decision, comment: comment.value });
    const answer = await call(api.approvals[":approvalId"].$post({ param }, request));
    busy.value = false;
    if (answer.ok) {
      announce(decision === "approve" ? texts.approved : texts.rejected);
      comment.value = "";
    }
    if (answer.ok || answer.problem.code === "refused") forgetApproval(approvalId);
    decided(answer.ok ? null : answer.problem);
  };
  const which = <span class="unseen"> {texts.call(tool, agentId)}</span>;
  return (
    <>
      <label>
        {texts.comment}
        <input value={comment} onInput={(event) => (comment.value = event.currentTarget.value)} />
      </label>
      <p class="buttons">
        <button type="button" class="primary" disabled={busy} onClick={() => void decide("approve")}>
          <Icon name="check" />
          {texts.approve}
          {which}
        </button>
        <button type="button" disabled={busy} onClick={() => void decide("reject")}>
          <Icon name="cross" />
          {texts.reject}
          {which}
        </button>
      </p>
    </>
  );
}
