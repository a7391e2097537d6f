import type { Collection, Document } from "mongodb";
import type { Backend, Call } from "../backend.ts";
import { STATEMENT_MS } from "../deadline.ts";
import { createPage, type Page } from "../page.ts";
import { withDatabase } from "./client.ts";
import { checkCollection } from "./collection.ts";
import { mongoFailure } from "./failure.ts";
import { documentsOf, type Reading, readingOf, updatesOf } from "./requests.ts";
import { mongoSettings } from "./settings.ts";
import { shownBson } from "./value.ts";

/** Documents may have 16 MB each: few at a time, and none after the page is full. */
const BATCH = 20;

export const mongoBackend: Backend = {
  query: (query, request, call) => {
    const reading = readingOf(query);
    return onCollection(call, query.table, async (collection) => {
      const page = createPage(request);
      await fill(page, reading, collection);
      return page.text();
    });
  },
  insert: (table, rows, call) => {
    const documents = documentsOf(rows);
    return onCollection(call, table, async (collection) => {
      const { insertedCount, insertedIds } = await collection.insertMany(documents, {
        maxTimeMS: STATEMENT_MS,
      });
      return JSON.stringify({ inserted: insertedCount, ids: Object.values(insertedIds).map(shownBson) });
    });
  },
  upsert: (table, upsert, call) => {
    const updates = updatesOf(upsert);
    return onCollection(call, table, async (collection) => {
      const { upsertedCount, matchedCount } = await collection.bulkWrite(
        updates.map((update) => ({ updateOne: { ...update, upsert: true } })),
        { maxTimeMS: STATEMENT_MS },
      );
      return JSON.stringify({ inserted: upsertedCount, updated: matchedCount });
    });
  },
};

async function onCollection(
  { config, signal }: Call,
  table: string,
  work: (collection: Collection<Document>) => Promise<string>,
): Promise<string> {
  const settings = mongoSettings(config);
  const name = checkCollection(table);
  try {
    return await withDatabase({ settings, signal }, (database) => work(database.collection(name)));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw mongoFailure(error, settings);
  }
}

async function fill(
  page: Page,
  { request, rowOf }: Reading,
  collection: Collection<Document>,
): Promise<void> {
  const options = { batchSize: BATCH, maxTimeMS: STATEMENT_MS };
  const cursor =
    request.kind === "find"
      ? collection.find(request.filter, { ...options, ...findOptions(request) })
      : collection.aggregate(request.pipeline, options);
  try {
    for await (const document of cursor) if (!page.add(rowOf(document))) return;
  } finally {
    await cursor.close();
  }
}

function findOptions({ projection, sort, skip, limit }: Extract<Reading["request"], { kind: "find" }>) {
  return { projection, sort, skip, limit };
}
