/** A body up to a size, so that no server can fill the memory. */
export interface CappedText {
  readonly text: string;
  /** Whether more was there; the rest has not been read, and the connection is closed. */
  readonly cut: boolean;
}

/** The response's body as UTF-8 text, at most `maxBytes` of it. Rejects when the connection breaks. */
export async function readCappedText(response: Response, maxBytes: number): Promise<CappedText> {
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  if (response.body === null) return { text, cut: false };
  // Leaving the loop early cancels the stream.
  for await (const chunk of response.body) {
    const bytes: Uint8Array = chunk;
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    left -= bytes.byteLength;
    if (left < 0) return { text, cut: true };
  }
  return { text: text + decoder.decode(), cut: false };
}
