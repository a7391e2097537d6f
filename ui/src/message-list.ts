import { element } from "./elements.ts";
import type { Message } from "./message.ts";
import { labelOf, texts } from "./texts.ts";

const stamp = new Intl.DateTimeFormat(navigator.language, { dateStyle: "medium", timeStyle: "medium" });

/** The messages, newest first. */
export function messageList(messages: readonly Message[]): HTMLElement {
  const items = messages
    .toReversed()
    .map((message) => element("li", { children: [messageArticle(message)] }));
  return element("ol", { className: "messages", children: items });
}

function messageArticle(message: Message): HTMLElement {
  const note = message.truncated ? [element("p", { className: "note", text: texts.cut })] : [];
  const content = element("p", { className: "content", text: message.content });
  content.dir = "auto";
  return element("article", { className: "message", children: [messageHead(message), content, ...note] });
}

function messageHead(message: Message): HTMLElement {
  const kind = [labelOf(texts.channels, message.channel), labelOf(texts.directions, message.direction)];
  const status = element("span", { className: "status", text: labelOf(texts.statuses, message.status) });
  status.dataset.status = message.status;
  return element("header", {
    children: [
      element("strong", { text: message.from }),
      element("span", { className: "quiet", text: texts.to }),
      element("strong", { text: message.to }),
      element("span", { className: "kind", text: kind.filter((part) => part !== "").join(", ") }),
      status,
      timeOf(message.occurredAt),
    ],
  });
}

function timeOf(occurredAt: string): HTMLElement {
  const date = new Date(occurredAt);
  const known = !Number.isNaN(date.getTime());
  const time = element("time", { className: "quiet", text: known ? stamp.format(date) : occurredAt });
  if (known) time.dateTime = occurredAt;
  return time;
}
