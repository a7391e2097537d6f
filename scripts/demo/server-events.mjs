/**
 * Server-sent events of a response, as they come in.
 * @param body a readable stream of bytes
 * @returns an async iterator of `{id, name, data}`; `data` is the parsed JSON
 */
export async function* readServerEvents(body) {
  const decoder = new TextDecoder();
  let unfinished = "";
  for await (const bytes of body) {
    const blocks = (unfinished + decoder.decode(bytes, { stream: true })).split("\n\n");
    unfinished = blocks.pop();
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event.data !== undefined) yield event;
    }
  }
}

function parseBlock(block) {
  const field = (name) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const data = field("data");
  return { id: field("id"), name: field("event"), data: data === undefined ? undefined : JSON.parse(data) };
}
