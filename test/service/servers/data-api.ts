/** The Data API's shape over collections in memory, as the servers that go on with it answer. */
import { type Document, deserialize, EJSON, serialize } from "bson";
import { CommandError, createCollection } from "./mongo/store.ts";
import type { WebAnswer, WebHandler } from "./web-server.ts";

interface DataApi {
  readonly handler: WebHandler;
  readonly collection: (name: string) => ReturnType<typeof createCollection>;
}

/** @param header name of the header that must have `key` */
export function createDataApi({ header, key }: { readonly header: string; readonly key: string }): DataApi {
  const collections = new Map<string, ReturnType<typeof createCollection>>();
  const collection = (name: string) => {
    const found = collections.get(name) ?? createCollection();
    collections.set(name, found);
    return found;
  };
  return {
    collection,
    handler: ({ path, headers, body }) => {
      if (headers[header.toLowerCase()] !== key) {
        return json(401, {
          error: `no such key: ${headers[header.toLowerCase()]}`,
          error_code: "InvalidSession",
        });
      }
      // By way of BSON, so that large numbers stay what they are and patterns become regular expressions.
      const request = deserialize(serialize(EJSON.parse(body, { relaxed: false })));
      if (request.dataSource !== "cluster" || request.database !== "shop") {
        return json(400, { error: "no such data source or database", error_code: "InvalidParameter" });
      }
      try {
        const answer = answerOf(path, request, collection(request.collection));
        return answer === null ? { status: 404, body: "cannot find action" } : json(200, answer);
      } catch (error) {
        return json(400, { error: error instanceof CommandError ? error.message : String(error) });
      }
    },
  };
}

function answerOf(
  path: string,
  request: Document,
  collection: ReturnType<typeof createCollection>,
): Document | null {
  const { filter = {}, projection = {}, sort = {}, skip = 0, limit = 0 } = request;
  switch (path) {
    case "/data/v1/action/find":
      return { documents: collection.find({ filter, projection, sort, skip, limit }) };
    case "/data/v1/action/aggregate":
      return { documents: collection.aggregate(request.pipeline) };
    case "/data/v1/action/insertMany":
      return { insertedIds: request.documents.map((document: Document) => collection.insert(document)) };
    case "/data/v1/action/updateOne": {
      const { matched, modified, upserted } = collection.update({
        ...{ filter, update: request.update, upsert: request.upsert === true },
      });
      const made = upserted === undefined ? {} : { upsertedId: upserted };
      return { matchedCount: matched, modifiedCount: modified, ...made };
    }
    default:
      return null;
  }
}

const json = (status: number, answer: Document): WebAnswer => ({
  status,
  body: EJSON.stringify(answer, { relaxed: false }),
});
