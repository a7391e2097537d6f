import { z } from "zod";
import type { Backend, Call } from "../backend.ts";
import { checkCollection } from "../mongo/collection.ts";
import { documentsOf, readingOf, updatesOf } from "../mongo/requests.ts";
import { shownBson } from "../mongo/value.ts";
import { createPage } from "../page.ts";
import { Refusal } from "../refusal.ts";
import { requestData } from "./request.ts";

/** Each row of an upsert is a request of its own, and a Worker's call may make 50. */
export const MAX_UPSERTS = 40;

const documentsSchema = z.object({ documents: z.array(z.looseObject({})) });
const insertedSchema = z.object({ insertedIds: z.array(z.unknown()) });
const updatedSchema = z.object({ matchedCount: z.number(), upsertedId: z.unknown().optional() });

export const dataApiBackend: Backend = {
  query: async (query, pageRequest, call) => {
    const collection = checkCollection(query.table);
    const { request, rowOf } = readingOf(query);
    const { kind, ...body } = request;
    const { documents } = understood(documentsSchema, await requestData(call, kind, { collection, ...body }));
    const page = createPage(pageRequest);
    for (const document of documents) if (!page.add(rowOf(document))) break;
    return page.text();
  },
  insert: async (table, rows, call) => {
    const body = { collection: checkCollection(table), documents: documentsOf(rows) };
    const { insertedIds } = understood(insertedSchema, await requestData(call, "insertMany", body));
    return JSON.stringify({ inserted: insertedIds.length, ids: insertedIds.map(shownBson) });
  },
  upsert: async (table, upsert, call) => {
    if (upsert.rows.length > MAX_UPSERTS) {
      throw new Refusal("too_large", `Over the Data API an upsert takes at most ${MAX_UPSERTS} rows.`);
    }
    const collection = checkCollection(table);
    const counts = { inserted: 0, updated: 0 };
    for (const [index, update] of updatesOf(upsert).entries()) {
      counts[await upsertOne({ collection, ...update }, index, call)] += 1;
    }
    return JSON.stringify(counts);
  },
};

async function upsertOne(body: Readonly<Record<string, unknown>>, index: number, call: Call) {
  try {
    const answer = await requestData(call, "updateOne", { ...body, upsert: true });
    return understood(updatedSchema, shownBson(answer)).matchedCount > 0 ? "updated" : "inserted";
  } catch (error) {
    if (!(error instanceof Refusal) || index === 0) throw error;
    throw new Refusal(error.code, `${error.message} The ${index} rows before are written.`, { cause: error });
  }
}

function understood<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Refusal("failed", "The Data API's answer has another shape than expected.", {
    cause: parsed.error,
  });
}
