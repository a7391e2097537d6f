import type { AnalystRecord } from "../../core/tool.ts";
import { fittingPage, type PageSize } from "./frame.ts";
import type { Answer } from "./index.ts";
import type { AnalysisInput } from "./input.ts";
import { limitOf, offsetPage } from "./offset.ts";
import { shownMessages } from "./shown-messages.ts";

/** What runs may take of the first page, so that messages fit beside them. */
const MAX_RUNS = 40;
const RUNS_CHARS = 9_000;

type Chain = Awaited<ReturnType<AnalystRecord["chain"]>>;

/** A chain's runs and totals with the first page, its messages page by page. */
export async function readChain(
  record: AnalystRecord,
  input: AnalysisInput,
  maxTextChars: number,
): Promise<Answer> {
  const chain = await record.chain(input.rootRunId ?? "");
  if (chain.runs.length === 0 && chain.messages.length === 0)
    return { ok: false, message: "There is no chain with that rootRunId on record." };
  const size = { limit: limitOf(input), textChars: input.includeText === true ? maxTextChars : 0 };
  return fittingPage(size, async (fitting) => pageOf(chain, input.cursor, fitting));
}

function pageOf(chain: Chain, cursor: string | undefined, { limit, textChars }: PageSize): Answer {
  const page = offsetPage(chain.messages, { limit, cursor });
  if (page === null) return { ok: false, message: "cursor is none of a page before." };
  const first = cursor === undefined ? summaryOf(chain) : {};
  const unlisted = chain.messageCount - chain.messages.length;
  const data = {
    ...first,
    messages: shownMessages(page.items, textChars),
    ...(page.cursor === null && unlisted > 0 ? { messagesLeftOut: unlisted } : {}),
  };
  return { ok: true, page: { data, cursor: page.cursor } };
}

function summaryOf({ totals, messageCount, runs: all }: Chain) {
  const runs = shownRuns(all);
  const leftOut = totals.runs - runs.length;
  return { totals, messageCount, runs, ...(leftOut > 0 ? { runsLeftOut: leftOut } : {}) };
}

function shownRuns(all: Chain["runs"]) {
  let left = RUNS_CHARS;
  const shown = all.slice(0, MAX_RUNS).map(shownRun);
  const end = shown.findIndex((run) => {
    left -= JSON.stringify(run).length;
    return left < 0;
  });
  return end === -1 ? shown : shown.slice(0, end);
}

function shownRun(run: Chain["runs"][number]) {
  const { runId, parentRunId, agentId, trigger, model, status, reason } = run;
  const { steps, toolCalls, costUsd, durationMs, startedAt } = run;
  return {
    ...{ runId, parentRunId, agentId, trigger, model, status, reason },
    ...{ steps, toolCalls, costUsd, durationMs, startedAt },
  };
}
