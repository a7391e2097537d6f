/** Server-sent events, from text in pieces of any size. */

export interface ServerEvent {
  /** Empty for the usual, unnamed event. */
  readonly name: string;
  /** The `data` lines, joined by line feeds. */
  readonly data: string;
}

export interface EventParser {
  /** Events that this piece of text completes. */
  push(text: string): ServerEvent[];
  /** The event that the text's end leaves open: some servers omit the last blank line. */
  flush(): ServerEvent[];
}

/** Lines may end in LF, CR or CRLF, also across pieces; comments, ids and retry times are dropped. */
export function createEventParser(): EventParser {
  let unfinished = "";
  let name = "";
  let data: string[] = [];

  const takeLine = (line: string): ServerEvent[] => {
    if (line === "") {
      const event = { name, data: data.join("\n") };
      const complete = data.length > 0;
      name = "";
      data = [];
      return complete ? [event] : [];
    }
    const [, field, value] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") name = value ?? "";
    if (field === "data") data.push(value ?? "");
    return [];
  };

  const push = (text: string): ServerEvent[] => {
    unfinished += text;
    if (!/[\r\n]/.test(text)) return [];
    // A CR at the very end may be half of a CRLF: it waits for the next piece.
    const held = unfinished.endsWith("\r") ? "\r" : "";
    const lines = unfinished.slice(0, unfinished.length - held.length).split(/\r\n|\n|\r/);
    unfinished = (lines.pop() ?? "") + held;
    return lines.flatMap(takeLine);
  };
  return { push, flush: () => [...push("\n"), ...takeLine("")] };
}
