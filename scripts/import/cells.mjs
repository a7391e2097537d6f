/** Cells of SQLite as JSON carries them. */

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Whole numbers beyond 2^53 become text; binary values text where they are some, else hex, as ids often are. */
export function oldCell(value) {
  if (typeof value === "bigint")
    return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return value instanceof Uint8Array ? oldBytes(value) : value;
}

function oldBytes(bytes) {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("hex");
  }
}

const KEY_CHARS = 500;

/** A row's primary key as a text, the same whenever it is read. */
export function oldKey(values) {
  const cells = values.map(oldCell);
  const key = cells.length === 1 ? String(cells[0]) : JSON.stringify(cells);
  return key.slice(0, KEY_CHARS) || "(empty)";
}
