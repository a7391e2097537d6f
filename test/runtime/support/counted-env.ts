/** The bindings, with what is billed counted: calls to objects, and rows that D1 reads and writes. */
import type { Env } from "../../../durable-objects/env.ts";

export interface Cost {
  agentCalls: number;
  hubCalls: number;
  chainCalls: number;
  rowsRead: number;
  rowsWritten: number;
  statements: number;
}

export const NO_COST: Cost = {
  agentCalls: 0,
  hubCalls: 0,
  chainCalls: 0,
  rowsRead: 0,
  rowsWritten: 0,
  statements: 0,
};

export function countedEnv(env: Env, cost: Cost): Env {
  const counted: Partial<Env> = {
    AGENTS: countedNamespace(env.AGENTS, () => {
      cost.agentCalls += 1;
    }),
    HUB: countedNamespace(env.HUB, () => {
      cost.hubCalls += 1;
    }),
    CHAINS: countedNamespace(env.CHAINS, () => {
      cost.chainCalls += 1;
    }),
    DB: countedDatabase(env.DB, cost),
  };
  return new Proxy(env, {
    get: (target, key) => Reflect.get(Object.hasOwn(counted, key) ? counted : target, key),
  });
}

/** The object with some of its methods watched; the others find it as it is. */
function watched<T extends object>(target: T, instead: (key: string | symbol, value: unknown) => unknown): T {
  return new Proxy(target, {
    get: (object, key) => {
      const value: unknown = Reflect.get(object, key);
      return instead(key, typeof value === "function" ? value.bind(object) : value);
    },
  });
}

function countedNamespace<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
  called: () => void,
): DurableObjectNamespace<T> {
  return watched(namespace, (key, value) => {
    if (key !== "get" || typeof value !== "function") return value;
    return (id: DurableObjectId) => {
      const stub = namespace.get(id);
      return new Proxy(stub, {
        get: (_, method) => {
          const member: unknown = Reflect.get(stub, method);
          if (typeof member !== "function") return member;
          return (...args: unknown[]) => {
            called();
            return Reflect.apply(member, stub, args);
          };
        },
      });
    };
  });
}

const STATEMENT = Symbol("statement");

function countedDatabase(db: D1Database, cost: Cost): D1Database {
  const note = ({ meta }: { meta: { rows_read: number; rows_written: number } }) => {
    cost.statements += 1;
    cost.rowsRead += meta.rows_read;
    cost.rowsWritten += meta.rows_written;
  };
  const counted = (statement: D1PreparedStatement): D1PreparedStatement =>
    watched(statement, (key, value) => {
      if (key === STATEMENT) return statement;
      if (key === "bind") return (...values: unknown[]) => counted(statement.bind(...values));
      if (key !== "all" && key !== "run") return value;
      return async () => {
        const result = await statement.all();
        note(result);
        return result;
      };
    });
  const whole = (statement: D1PreparedStatement): D1PreparedStatement =>
    Reflect.get(statement, STATEMENT) ?? statement;
  return watched(db, (key, value) => {
    if (key === "prepare") return (sql: string) => counted(db.prepare(sql));
    if (key !== "batch") return value;
    return async (statements: D1PreparedStatement[]) => {
      const results = await db.batch(statements.map(whole));
      results.forEach(note);
      return results;
    };
  });
}
