/** A message as the page shows it. */
export interface Message {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly channel: string;
  readonly direction: string;
  readonly status: string;
  readonly content: string;
  readonly truncated: boolean;
  /** ISO 8601. */
  readonly occurredAt: string;
}

/** Reads the answer of `GET /api/messages`; null when it is none. */
export function readMessages(answer: unknown): readonly Message[] | null {
  const list = field(answer, "messages");
  return Array.isArray(list) ? list.map(readMessage) : null;
}

function readMessage(value: unknown): Message {
  return {
    id: text(value, "id"),
    from: text(value, "fromAgentId"),
    to: text(value, "toAgentId"),
    channel: text(value, "channel"),
    direction: text(value, "direction"),
    status: text(value, "status"),
    content: text(value, "content"),
    truncated: field(value, "truncated") === true,
    occurredAt: text(value, "occurredAt"),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}
