/** The place in the record that a request names: by a cursor, a moment, or a message. */
import type { Cursor } from "./cursor.ts";
import type { FilterProblem, MessageQuery } from "./message-filter.ts";
import type { Edge } from "./message-source.ts";
import type { Reader } from "./reader.ts";

/** `around`: the message or moment itself belongs to the newer side. */
export type Place =
  | { readonly at: "newest" }
  | { readonly at: "before" | "after"; readonly cursor: Cursor }
  | { readonly at: "around"; readonly older: Edge; readonly newer: Edge };

/** Looks up the message that stands for a place; one that is not there is a problem. Rejects when D1 does. */
export async function findPlace(
  reader: Reader,
  position: MessageQuery["position"],
): Promise<Place | FilterProblem> {
  if (position.at === "newest") return position;
  const { at, from } = position;
  if ("instant" in from) return { at: "around", older: from, newer: from };
  const cursor = "cursor" in from ? from.cursor : await cursorOf(reader, from.message);
  if (cursor === null)
    return at === "around" ? { code: "no_message", parameter: at } : { code: "bad_cursor", parameter: at };
  if (at !== "around") return { at, cursor };
  // One id less, so that of several messages in one instant this one comes first on its side.
  return { at, older: { cursor }, newer: { cursor: { ...cursor, id: cursor.id - 1 } } };
}

const ID = /^\d{1,16}$/;

function cursorOf(reader: Reader, idOrUid: string): Promise<Cursor | null> {
  const column = ID.test(idOrUid) ? "Id" : "Uid";
  return reader.first<Cursor>(
    `SELECT "Id" AS "id", "OccurredAt" AS "occurredAt" FROM "AgentMessages" WHERE "${column}" = ?`,
    column === "Id" ? Number(idOrUid) : idOrUid,
  );
}
