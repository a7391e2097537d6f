/** Why a call is not, or could not be, made. The message is a sentence the model can act on. */
export type RefusalCode =
  | "table_refused"
  | "table_unknown"
  | "column_unknown"
  | "name_refused"
  | "value_refused"
  | "read_only"
  | "keys_refused"
  | "request_refused"
  | "too_large"
  | "login_refused"
  | "not_permitted"
  | "connection_refused"
  | "host_unknown"
  | "tls_refused"
  | "connection_lost"
  | "time_limit"
  | "duplicate_key"
  | "constraint"
  | "busy"
  | "misconfigured"
  | "failed";

/** Thrown where the fault is found, however deep; `index.ts` makes the tool's answer of it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
