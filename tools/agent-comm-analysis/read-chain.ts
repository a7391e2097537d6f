import type { AnalystRecord } from "../../core/tool.ts";
import type { Answer } from "./index.ts";
import type { AnalysisInput } from "./input.ts";
import { offsetPage } from "./offset.ts";
import { shownMessages } from "./shown-messages.ts";

const SHOWN_RUNS = 40;

/** A chain's runs and totals with the first page, its messages page by page. */
export async function readChain(
  record: AnalystRecord,
  input: AnalysisInput,
  maxTextChars: number,
): Promise<Answer> {
  const chain = await record.chain(input.rootRunId ?? "");
  if (chain.runs.length === 0 && chain.messages.length === 0)
    return { ok: false, message: "There is no chain with that rootRunId on record." };
  const page = offsetPage(chain.messages, input);
  if (page === null) return { ok: false, message: "cursor is none of a page before." };
  const runs = chain.runs
    .slice(0, SHOWN_RUNS)
    .map(
      ({
        runId,
        parentRunId,
        agentId,
        trigger,
        model,
        status,
        reason,
        steps,
        toolCalls,
        costUsd,
        durationMs,
        startedAt,
      }) => ({
        runId,
        parentRunId,
        agentId,
        trigger,
        model,
        status,
        reason,
        steps,
        toolCalls,
        costUsd,
        durationMs,
        startedAt,
      }),
    );
  const messages = shownMessages(page.items, input.includeText === true ? maxTextChars : 0);
  const first =
    input.cursor === undefined ? { totals: chain.totals, messageCount: chain.messageCount, runs } : {};
  return { ok: true, page: { data: { ...first, messages }, cursor: page.cursor } };
}
