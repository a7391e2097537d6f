/** What a server's tool has answered, as text without secrets. */
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { cut, type Mask } from "./words.ts";

const MAX_NAME = 200;

/** Text as it is, everything else by its name. */
export function shownResult({ content, structuredContent }: CallToolResult, mask: Mask): string {
  // Servers repeat structured content as text for clients that know only text.
  if (content.length === 0) return mask(JSON.stringify(structuredContent ?? null));
  return mask(content.map((block) => shownBlock(block, mask)).join("\n"));
}

function shownBlock(block: ContentBlock, mask: Mask): string {
  const name = (text: string) => cut(text, MAX_NAME, mask);
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}, ${name(block.mimeType)}, ${byteCount(block.data)} bytes: not shown]`;
    case "resource_link":
      return `[link to a resource: ${name(block.name)}, ${name(block.uri)}]`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `[resource ${name(resource.uri)}]\n${resource.text}`;
      return `[resource ${name(resource.uri)}, ${byteCount(resource.blob)} bytes: not shown]`;
    }
  }
}

/** Of base64. */
function byteCount(data: string): number {
  return Math.floor((data.length * 3) / 4);
}
