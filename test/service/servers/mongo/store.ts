/** Collections in memory. Conditions, updates and pipelines are mingo's; a stand-in for MongoDB, not MongoDB itself. */
import { type Document, EJSON, ObjectId } from "bson";
import { aggregate, Query, updateOne } from "mingo";

/** As a server answers a command that it refuses. */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;

  constructor(code: number, codeName: string, message: string) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}

export interface Find {
  readonly filter: Document;
  readonly projection: Document;
  readonly sort: Document;
  readonly skip: number;
  readonly limit: number;
}

export interface Update {
  readonly filter: Document;
  readonly update: Document;
  readonly upsert: boolean;
}

export interface Updated {
  readonly matched: number;
  readonly modified: number;
  /** The id of the document that had to be made. */
  readonly upserted?: unknown;
}

export interface Collection {
  readonly documents: Document[];
  insert(document: Document): unknown;
  find(find: Find): Document[];
  aggregate(pipeline: Document[]): Document[];
  /** Changes the first document that fits. */
  update(update: Update): Updated;
}

export function createCollection(): Collection {
  const documents: Document[] = [];
  const insert = (document: Document) => {
    const whole: Document = document._id === undefined ? { _id: new ObjectId(), ...document } : document;
    if (documents.some((one) => keyOf(one._id) === keyOf(whole._id))) {
      const key = JSON.stringify(whole._id);
      throw new CommandError(
        11000,
        "DuplicateKey",
        `E11000 duplicate key error index: _id_ dup key: { _id: ${key} }`,
      );
    }
    documents.push(whole);
    return whole._id;
  };
  return {
    documents,
    insert,
    find: ({ filter, projection, sort, skip, limit }) => {
      let cursor = new Query(filter).find<Document>(documents, projection);
      if (Object.keys(sort).length > 0) cursor = cursor.sort(sort);
      cursor = cursor.skip(skip);
      return (limit === 0 ? cursor : cursor.limit(limit)).all();
    },
    aggregate: (pipeline) => aggregate(documents, pipeline),
    update: ({ filter, update, upsert }) => {
      const query = new Query(filter);
      const found = documents.find((document) => query.test(document));
      if (found !== undefined) return { matched: 1, modified: change(found, update) ? 1 : 0 };
      if (!upsert) return { matched: 0, modified: 0 };
      const made = { ...equalities(filter), ...update.$setOnInsert };
      change(made, update);
      return { matched: 0, modified: 0, upserted: insert(made) };
    },
  };
}

const keyOf = (id: unknown) => EJSON.stringify({ id }, { relaxed: false });

function change(document: Document, { $setOnInsert: _onlyNew, ...update }: Document): boolean {
  const before = EJSON.stringify(document);
  if (Object.keys(update).length > 0) updateOne([document], {}, update);
  return EJSON.stringify(document) !== before;
}

/** What a filter says of a document that fulfils it; a new one starts with that. */
function equalities(filter: Document): Document {
  const parts: Document[] = Array.isArray(filter.$and) ? filter.$and : [filter];
  const entries = parts.flatMap((part) => Object.entries(part));
  return Object.fromEntries(entries.map(([field, condition]) => [field, condition?.$eq ?? condition]));
}
