/** Errors as OpenAI's clients expect them. */
import { ApiError, type ErrorCode, errorText } from "../errors.ts";

export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

const KINDS: Record<ErrorCode, readonly [type: string, code: string | null]> = {
  unauthorized: ["invalid_request_error", "invalid_api_key"],
  forbidden: ["invalid_request_error", "insufficient_permissions"],
  rate_limited: ["requests", "too_many_wrong_keys"],
  bad_request: ["invalid_request_error", null],
  too_large: ["invalid_request_error", "request_too_large"],
  not_found: ["invalid_request_error", null],
  method_not_allowed: ["invalid_request_error", "method_not_allowed"],
  queue_full: ["requests", "rate_limit_exceeded"],
  paused: ["server_error", "paused"],
  refused: ["invalid_request_error", "refused"],
  unavailable: ["server_error", "unavailable"],
  internal: ["server_error", null],
};

/** The door's errors in OpenAI's shape: of several faults the first is the `param`, all are in the message. */
export function openAiShape(fault: ApiError): OpenAiError {
  const { code, issues } = fault;
  const [type, plain] = KINDS[code];
  const [first] = issues ?? [];
  const isModel = code === "not_found" && first !== undefined;
  return {
    error: {
      message: errorText(fault),
      type,
      param: first === undefined || first.path === "" ? null : first.path,
      code: isModel ? "model_not_found" : plain,
    },
  };
}

export function noModel(): ApiError {
  return new ApiError("not_found", "The model does not exist.", [
    { path: "model", message: "Must be an agent's id, see GET /v1/models" },
  ]);
}
