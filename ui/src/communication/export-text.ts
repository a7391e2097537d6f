/** Messages as Markdown, for reading outside. */
import type { Row } from "./row.ts";

/** One message: a line about it, and its text as a quotation, out of which nothing in the text can break. */
export function markdownOf(row: Row, nameOf: (agentId: string) => string): string {
  const about = [
    row.occurredAt,
    `${plain(nameOf(row.fromAgentId))} -> ${plain(nameOf(row.toAgentId))}`,
    `${row.channel} ${row.direction}`,
    row.status,
    ...(row.taskId === null ? [] : [row.taskId]),
  ];
  const text = row.content.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => `> ${line}`);
  return `**${about.join(" | ")}**\n\n${text.join("\n")}\n`;
}

/** Names come from outside too: nothing in them is markup. */
function plain(name: string): string {
  return name.replace(/[\\`*_[\]<>|#\r\n]/g, (character) => (/\s/.test(character) ? " " : `\\${character}`));
}
