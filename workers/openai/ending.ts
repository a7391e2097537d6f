/** How a run's end looks to a client: an answer with its finish_reason, or an error. No I/O. */
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ReceiptRow } from "../../core/record/rows.ts";
import type { OpenAiError } from "./errors.ts";

type Ended = Pick<
  ReceiptRow,
  "status" | "reason" | "error" | "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens"
>;

export type Finish = "stop" | "length" | "content_filter";

type CompletionEnding =
  | { readonly ok: true; readonly finish: Finish }
  | { readonly ok: false; readonly status: ContentfulStatusCode; readonly body: OpenAiError };

export function completionEnding(ended: Ended): CompletionEnding {
  switch (ended.status) {
    case "completed":
      return { ok: true, finish: "stop" };
    case "failed":
      return failedEnding(ended);
    case "timeout":
      return failure(ended, { status: 504, type: "server_error" });
    case "cancelled":
      return failure(ended, { status: 409, type: "invalid_request_error" });
    case "step_limit":
      return failure(ended, { status: 500, type: "server_error" });
    case "budget":
      return failure(ended, { status: 429, type: "insufficient_quota" });
  }
}

/** The model's own endings are answers, as far as they go. */
function failedEnding(ended: Ended): CompletionEnding {
  if (ended.reason === "length") return { ok: true, finish: "length" };
  if (ended.reason === "refusal" || ended.reason === "content_filter")
    return { ok: true, finish: "content_filter" };
  return failure(ended, { status: 502, type: "server_error" });
}

function failure(
  { status, reason, error }: Ended,
  kind: { readonly status: ContentfulStatusCode; readonly type: string },
): CompletionEnding {
  const why = reason === null ? status : `${status} (${reason})`;
  const message = error === null ? `The run ended ${why}.` : `The run ended ${why}: ${error}`;
  const code = kind.type === "insufficient_quota" ? kind.type : (reason ?? status);
  return { ok: false, status: kind.status, body: { error: { message, type: kind.type, param: null, code } } };
}

/** Null where the provider reported no tokens. */
export function usageOf(ended: Ended) {
  const { inputTokens, outputTokens } = ended;
  if (inputTokens === null || outputTokens === null) return null;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: ended.cachedInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: ended.reasoningTokens ?? 0 },
  };
}
