/** One message. */
import { useState } from "preact/hooks";
import { nameOf } from "../api/team.ts";
import { formatClock, formatExact } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf } from "../location/place.ts";
import { AgentMark, hueClass } from "../parts/agent-mark.tsx";
import { announce } from "../parts/announce.tsx";
import { Icon } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";
import { BubbleText } from "./bubble-text.tsx";
import type { PlacedRow } from "./group-rows.ts";
import { readWhole } from "./read-messages.ts";
import { keyOf, type Row } from "./row.ts";
import { texts } from "./texts.ts";

export interface BubbleProps extends PlacedRow {
  /** Whose messages stand on the right; empty where nobody is own. */
  readonly own: string;
  /** 1 for the first row on the page. */
  readonly position: number;
  /** Takes part in the tab order: one row at a time does. */
  readonly current: boolean;
  /** What a link to the message adds to the address. */
  readonly hrefOf: (key: string) => string;
  /** Why the message failed, where another row says so. */
  readonly reason: string | null;
}

export function Bubble({ row, own, position, current, hrefOf, reason, first, last }: BubbleProps) {
  const side = row.fromAgentId === own ? "own" : "other";
  const tint = side === "own" || own === "" ? "tinted" : "";
  const id = `m-${encodeURIComponent(row.uid)}`;
  const failed = row.status !== "delivered";
  return (
    <article
      class={`bubble ${hueClass(row.fromAgentId)} ${side} ${tint} ${first ? "first" : ""} ${last ? "last" : ""}`}
      data-uid={row.uid}
      data-status={row.status}
      tabIndex={current ? 0 : -1}
      aria-posinset={position}
      aria-setsize={-1}
      aria-labelledby={`${id}-who ${id}-what`}
    >
      <Sender row={row} id={`${id}-who`} shown={first} addressed={own === ""} />
      {failed && (
        <p class="trouble">
          <Status of="message" value={row.status} />
          {reason !== null && (
            <span class="reason" dir="auto">
              {texts.reason} {reason}
            </span>
          )}
        </p>
      )}
      <BubbleText row={row} />
      <p class="about" id={`${id}-what`}>
        <span class="channel">{labelOf(words.channels, row.channel)}</span>
        {!failed && <Status of="message" value={row.status} />}
        {row.taskId !== null && (
          <a href={addressOf({ view: "tasks", query: { task: row.taskId } })} title={texts.task}>
            {row.taskId}
          </a>
        )}
        <span class="actions">
          <a href={addressOf({ view: "chain", id: row.rootRunId, query: { m: keyOf(row) } })}>
            {texts.chain}
          </a>
          <CopyButton row={row} />
        </span>
        <a class="time" href={hrefOf(keyOf(row))} title={`${formatExact(row.occurredAt)} · ${texts.link}`}>
          <time dateTime={row.occurredAt}>{formatClock(row.occurredAt)}</time>
        </a>
      </p>
    </article>
  );
}

interface SenderProps {
  readonly row: Row;
  readonly id: string;
  readonly shown: boolean;
  readonly addressed: boolean;
}

function Sender({ row, id, shown, addressed }: SenderProps) {
  return (
    <p class={shown ? "who" : "unseen"} id={id} title={shown ? row.fromAgentId : undefined}>
      {shown && <AgentMark agentId={row.fromAgentId} small />}
      <bdi>{nameOf(row.fromAgentId)}</bdi>
      {addressed && (
        <span class="addressee">
          {" "}
          {texts.to} <bdi>{nameOf(row.toAgentId)}</bdi>
        </span>
      )}
    </p>
  );
}

/** Copies the source, whole. */
function CopyButton({ row }: { row: Row }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    const whole = row.truncated ? await readWhole(keyOf(row)) : null;
    try {
      if (whole !== null && !whole.ok) throw new Error(whole.problem.code);
      await navigator.clipboard.writeText(whole?.data.content ?? row.content);
    } catch {
      announce(texts.wholeFailed);
      return;
    }
    setCopied(true);
    announce(words.copied);
  };
  const label = copied ? words.copied : words.copy;
  return (
    <button type="button" class="bare" onClick={() => void copy()} aria-label={label} title={label}>
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}
