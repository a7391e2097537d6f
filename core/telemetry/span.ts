/** A span as data: what is sent to a tracing backend, whatever carries it there. */

export type AttributeValue = string | number | boolean;
/** Missing ones are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | null | undefined>>;

export interface Span {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Null for the first of its trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  /** `client` for calls that leave the instance. */
  readonly kind: "internal" | "client";
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, AttributeValue | readonly string[]>>;
  readonly failed: boolean;
}

export function present(attributes: Attributes): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value == null ? [] : [[name, value]])),
  );
}
