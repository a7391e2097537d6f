/** What a server's tool has answered, as a model may see it. */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { cut, framed, type Mask } from "./frame.ts";

/** Leaves room for the frame within what the engine shows of one result. */
const MAX_CHARS = 18_000;
const MAX_NAME = 200;

/** Text as it is, everything else by its name. */
export function shownResult({ content, structuredContent }: CallToolResult, mask: Mask): string {
  const blocks = content.map(shownBlock);
  // Servers repeat structured content as text for clients that know only text.
  const text = blocks.length === 0 ? JSON.stringify(structuredContent ?? null) : blocks.join("\n");
  return framed(cut(text, MAX_CHARS, mask));
}

function shownBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}, ${short(block.mimeType)}, ${byteCount(block.data)} bytes: not shown]`;
    case "resource_link":
      return `[link to a resource: ${short(block.name)}, ${short(block.uri)}]`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `[resource ${short(resource.uri)}]\n${resource.text}`;
      return `[resource ${short(resource.uri)}, ${byteCount(resource.blob)} bytes: not shown]`;
    }
  }
}

function short(text: string): string {
  return text.slice(0, MAX_NAME).toWellFormed();
}

/** Of base64. */
function byteCount(data: string): number {
  return Math.floor((data.length * 3) / 4);
}
