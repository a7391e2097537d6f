/** D1 and R2 that go away at one moment: everything before it has happened, nothing after it does. */

export interface PowerCut {
  readonly db: D1Database;
  readonly texts: R2Bucket;
  /** Whether the moment came. */
  happened(): boolean;
}

const STATEMENTS = new Set(["all", "run", "first"]);
const CALLS = new Set(["put", "get", "delete", "list", "batch"]);
const WRAPPED = Symbol("statement");

/**
 * Counts statements, batches and calls of R2 from 1. At the one numbered `at` the power goes: before it has an
 * effect, or after, when only its answer is lost.
 */
export function powerCut(db: D1Database, texts: R2Bucket, at: { count: number; after: boolean }): PowerCut {
  let [calls, gone] = [0, false];
  const guarded = async (call: () => Promise<unknown>) => {
    if (gone) throw new Error("there is no power");
    calls += 1;
    if (calls !== at.count) return call();
    gone = true;
    if (at.after) await call();
    throw new Error("the power went");
  };
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, key) => {
        if (key === WRAPPED) return object;
        const member: unknown = Reflect.get(object, key);
        if (typeof member !== "function") return member;
        const call = (args: unknown[]) => Reflect.apply(member, object, args.map(unwrapped));
        if (key === "prepare" || key === "bind") return (...args: unknown[]) => watched(call(args));
        if (STATEMENTS.has(String(key)) || CALLS.has(String(key)))
          return (...args: unknown[]) => guarded(async () => call(args));
        return (...args: unknown[]) => call(args);
      },
    });
  return { db: watched(db), texts: watched(texts), happened: () => gone };
}

/** A proxy answers for its target, which has no such property of its own. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  const inner: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, WRAPPED) : undefined;
  return inner ?? value;
}
