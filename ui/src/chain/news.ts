/** Which live events concern a chain, and whether what they told of has reached what the API answers. */
import type { LiveEvent } from "../api/live.ts";
import type { Chain } from "../api/types.ts";

/** Tells one piece of news from another; null when the event is another chain's. */
export function newsOf({ type, data }: LiveEvent, rootRunId: string): string | null {
  const about = type === "message" || type === "task" ? field(data, type) : data;
  if (type === "reset" || field(about, "rootRunId") !== rootRunId) return null;
  if (type === "message") return `message ${String(field(about, "uid"))}`;
  return type === "run" ? `run ${String(field(about, "state"))} ${String(field(about, "runId"))}` : type;
}

/** The feed is quicker than D1 and the chain's object: what it told may not be in the answer yet. */
export function hasArrived(news: string, chain: Pick<Chain, "runs" | "messages">): boolean {
  const [kind, ...rest] = news.split(" ");
  if (kind === "message") return chain.messages.some(({ uid }) => uid === rest.join(" "));
  if (kind !== "run") return true;
  const [state, runId] = rest;
  const run = chain.runs.find((each) => each.runId === runId);
  return run !== undefined && (state !== "ended" || run.status != null);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
