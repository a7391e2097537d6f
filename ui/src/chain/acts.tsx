/** What a person can do with a chain: release one that is frozen, cancel one that goes on. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { api, call, type Problem } from "../api/client.ts";
import type { Chain } from "../api/types.ts";
import { decimal, formatCount } from "../language/format.ts";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { ExportButton } from "./export-button.tsx";
import { limitReached } from "./limit-reached.ts";
import { texts } from "./texts.ts";

interface ActsProps {
  readonly chain: Chain;
  reload(): void;
}

/** Over for good: nothing of it goes on by itself. */
const TASK_OVER: readonly string[] = ["done", "cancelled", "blocked"];

export function Acts({ chain, reload }: ActsProps) {
  const problem = useSignal<Problem | null>(null);
  const busy = useSignal(false);
  const act = async (verb: "cancel" | "release") => {
    if (busy.value) return;
    busy.value = true;
    const param = { rootRunId: encodeURIComponent(chain.rootRunId) };
    const answer = await call(api.chains[":rootRunId"][verb].$post({ param }));
    busy.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (!answer.ok) return;
    // The button goes away with what it did.
    document.querySelector<HTMLElement>("main h1")?.focus();
    announce(verb === "cancel" ? texts.cancelDone : texts.released);
    reload();
  };
  const open = chain.runs.filter(({ status }) => status == null).length;
  const canCancel =
    !chain.cancelled && (open > 0 || chain.tasks.some(({ status }) => !TASK_OVER.includes(status)));
  return (
    <>
      {chain.frozen && (
        <section class="banner" aria-label={texts.frozen}>
          <Icon name="stop" />
          <p>
            <strong>{texts.frozen}</strong> <span class="reason">{frozenWords(chain.frozenReason)}</span>{" "}
            {texts.releaseHint}
          </p>
          <button
            type="button"
            class="primary"
            aria-disabled={busy.value}
            onClick={() => void act("release")}
          >
            {texts.release}
          </button>
        </section>
      )}
      {chain.cancelled && !chain.frozen && (
        <p class="banner quiet-banner">
          <Icon name="cross" /> {texts.cancelled}
        </p>
      )}
      {problem.value !== null && <ProblemNote problem={problem.value} />}
      {canCancel && <CancelButton open={open} confirm={() => void act("cancel")} />}
      <ExportButton rootRunId={chain.rootRunId} />
    </>
  );
}

function frozenWords(sentence: string | null): string {
  const reached = limitReached(sentence ?? "");
  if (reached === null) return sentence ?? "";
  const limit = reached.kind === "cost" ? decimal(reached.limit, 6) : formatCount(reached.limit);
  return texts.frozenBy[reached.kind](limit);
}

function CancelButton({ open, confirm }: { open: number; confirm(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <div class="chain-acts">
      <button type="button" onClick={() => dialog.current?.showModal()}>
        <Icon name="cross" />
        {texts.cancel}
      </button>
      <dialog ref={dialog} class="ask" aria-labelledby="cancel-title" aria-describedby="cancel-text">
        <h2 id="cancel-title">{texts.cancelTitle}</h2>
        <p id="cancel-text">{texts.cancelText(formatCount(open))}</p>
        <p class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            {texts.cancelNo}
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              dialog.current?.close();
              confirm();
            }}
          >
            {texts.cancelYes}
          </button>
        </p>
      </dialog>
    </div>
  );
}
