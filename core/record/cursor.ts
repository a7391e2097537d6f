/** Opaque cursors: the time and id of the row at a page's edge. */

export interface Cursor {
  readonly occurredAt: string;
  readonly id: number;
}

const SHAPE = /^(-?\d{1,16}) ([\d:.TZ +-]{0,40})$/;

/** Safe in a URL as it is. */
export function encodeCursor({ occurredAt, id }: Cursor): string {
  return btoa(`${id} ${occurredAt}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Null for anything that `encodeCursor` did not make. */
export function decodeCursor(text: string): Cursor | null {
  const parts = SHAPE.exec(decodeBase64Url(text));
  if (parts === null) return null;
  const [, id = "", occurredAt = ""] = parts;
  return Number.isSafeInteger(Number(id)) ? { occurredAt, id: Number(id) } : null;
}

function decodeBase64Url(text: string): string {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}
