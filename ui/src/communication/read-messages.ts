/** Pages of the record, as the API gives them. */
import { type Answer, api, call } from "../api/client.ts";
import { apiFilters, type Filters } from "./filters.ts";
import type { Row } from "./row.ts";
import type { Page } from "./window.ts";

export interface Position {
  readonly before?: string;
  readonly after?: string;
  readonly around?: string;
  readonly limit: number;
}

export interface MessagePage extends Page {
  /** Older pages may hold more hits. */
  readonly partial: boolean;
}

/** Rejects never, see `call`. */
export function readMessages(
  filters: Filters,
  { limit, ...position }: Position,
  signal: AbortSignal,
): Promise<Answer<MessagePage>> {
  const query = { ...apiFilters(filters), ...position, limit };
  return call(api.messages.$get({ query }, { init: { signal } }));
}

/** One message with its whole text. */
export function readWhole(key: string, signal?: AbortSignal): Promise<Answer<Row>> {
  const init = signal === undefined ? {} : { init: { signal } };
  return call(api.messages[":id"].$get({ param: { id: key } }, init));
}
