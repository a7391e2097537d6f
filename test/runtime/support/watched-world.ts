/**
 * Stands between the engine and its world: counts everything that a run awaits, so that a test can cut the
 * power before or after any of it, can refuse D1 for a while, and can see who is executing.
 */
import type { Board } from "../../../core/board/board.ts";
import type { World } from "../../../core/engine/world.ts";
import type { ModelClient } from "../../../core/model/types.ts";
import type { Registry } from "../../../core/registry.ts";
import type { SpanScope } from "../../../core/telemetry/scope.ts";
import type { Attributes } from "../../../core/telemetry/span.ts";
import type { Tool, ToolContext, ToolState } from "../../../core/tool.ts";
import { type Cost, NO_COST } from "./counted-env.ts";

export interface Watch {
  /** Cuts the power at the n-th watched moment of the object of that name; moments count from 1. */
  cut: { objectName: string; at: number } | null;
  /** Moments passed since the plan was made. */
  moments: number;
  /** How often the power was cut. */
  cuts: number;
  /** Writes to D1 are refused while true. */
  d1Away: boolean;
  /** Writes to D1 begin only once this is resolved. */
  d1Held: Promise<void> | null;
  /** Agents cannot reach the taskboard's tables while true. */
  boardAway: boolean;
  /** The taskboard's writes from the one to the other, counted over all agents, fail; once they are done when `late`. */
  boardFault: { from: number; to: number; late: boolean } | null;
  boardWrites: number;
  /** Chains and the hub cannot be reached while true. */
  ceilingsAway: boolean;
  /** A question is lost on its way to the colleague while true. */
  asksLost: boolean;
  /** A colleague takes a question, but its word of it is lost on the way while true. */
  repliesLost: boolean;
  /** A question reaches the colleague only once this is resolved. */
  asksHeld: Promise<void> | null;
  /** A colleague is not to be reached by word that its asker has ended, while true. */
  expiresLost: boolean;
  /** What agents tell the live feed never leaves them while true. */
  feedLost: boolean;
  /** An agent's model answers only once this is resolved. */
  modelHeld: Map<string, Promise<void>>;
  /** Model calls and tool calls under way by agent, and the most that were ever seen. */
  executing: Map<string, number>;
  most: Map<string, number>;
  /** What happened, in order. */
  trace: string[];
  /** Requests as the models saw them, when they are kept. */
  requests: { objectName: string; text: string }[];
  keepRequests: boolean;
  /** Spans of the runtime's tracing as they were closed, with all that they were given. */
  spans: { name: string; attributes: Attributes }[];
  /** The world of each object that is up, as the engine has it. */
  worlds: Map<string, World>;
}

export const watch: Watch = {
  cut: null,
  moments: 0,
  cuts: 0,
  d1Away: false,
  boardAway: false,
  boardFault: null,
  boardWrites: 0,
  d1Held: null,
  ceilingsAway: false,
  asksLost: false,
  repliesLost: false,
  asksHeld: null,
  expiresLost: false,
  feedLost: false,
  modelHeld: new Map(),
  executing: new Map(),
  most: new Map(),
  trace: [],
  requests: [],
  keepRequests: true,
  spans: [],
  worlds: new Map(),
};

/** What all agents' objects together have cost since the test's Worker came up. */
export const agentCost: Cost = { ...NO_COST };

export function resetWatch(): void {
  watch.cut = null;
  watch.moments = 0;
  watch.cuts = 0;
  watch.d1Away = false;
  watch.boardAway = false;
  watch.boardFault = null;
  watch.boardWrites = 0;
  watch.d1Held = null;
  watch.ceilingsAway = false;
  watch.asksLost = false;
  watch.repliesLost = false;
  watch.asksHeld = null;
  watch.expiresLost = false;
  watch.feedLost = false;
  watch.modelHeld.clear();
  watch.executing.clear();
  watch.most.clear();
  watch.trace = [];
  watch.requests = [];
  watch.spans = [];
  watch.keepRequests = true;
}

export function watchedWorld(world: World, ctx: DurableObjectState): World {
  watch.worlds.set(world.objectName, world);
  const at = <T>(call: () => Promise<T>) => awaited(world.objectName, ctx, call);
  const watched: Partial<World> = {
    get registry() {
      return watchedRegistry(world.registry, at);
    },
    modelClient: (agent) => watchedModel(world.objectName, world.modelClient(agent), at),
    chain: (rootRunId) => {
      const chain = world.chain(rootRunId);
      return {
        admit: (...args) => at(() => chain.admit(...args)),
        permit: (...args) => at(() => withinReach(() => chain.permit(...args))),
        settle: (...args) => at(() => chain.settle(...args)),
        remove: (...args) => at(() => chain.remove(...args)),
      };
    },
    day: {
      permit: (...args) => at(() => withinReach(() => world.day.permit(...args))),
      settle: (...args) => at(() => world.day.settle(...args)),
      ended: (run) => world.day.ended(run),
    },
    colleague: (agentId) => {
      const colleague = world.colleague(agentId);
      return {
        ask: (...args) => at(() => onItsWay(() => heardOf(() => colleague.ask(...args)))),
        result: (...args) => at(() => heardOf(() => colleague.result(...args))),
        expire: (...args) => at(() => toBeReached(() => colleague.expire(...args))),
      };
    },
    publish: (events) => {
      if (!watch.feedLost) world.publish(events);
    },
    mail: { open: () => world.mail.open(), send: (...args) => at(() => world.mail.send(...args)) },
    board: watchedBoard(world.board, at),
    span: watchedSpan(world.span),
    writeRecord: async (rows) => {
      if (watch.d1Away) throw new Error("D1_ERROR: injected outage");
      await watch.d1Held;
      await at(() => world.writeRecord(rows));
    },
  };
  return new Proxy(world, {
    get: (target, key) => Reflect.get(Object.hasOwn(watched, key) ? watched : target, key),
  });
}

function watchedSpan(span: SpanScope): SpanScope {
  return async (opened, work) => {
    let { attributes } = opened;
    const result = await span(opened, (add) =>
      work((more) => {
        attributes = { ...attributes, ...more };
        add(more);
      }),
    );
    watch.spans = [...watch.spans.slice(-KEPT_SPANS), { name: opened.name, attributes }];
    return result;
  };
}

const KEPT_SPANS = 100;

async function withinReach<T>(call: () => Promise<T>): Promise<T> {
  if (watch.ceilingsAway) throw new Error("injected: out of reach");
  return call();
}

async function toBeReached<T>(call: () => Promise<T>): Promise<T> {
  if (watch.expiresLost) throw new Error("injected: the colleague is not to be reached");
  return call();
}

async function onItsWay<T>(call: () => Promise<T>): Promise<T> {
  if (watch.asksLost) throw new Error("injected: the question was lost");
  await watch.asksHeld;
  return call();
}

async function heardOf<T>(call: () => Promise<T>): Promise<T> {
  const value = await call();
  if (watch.repliesLost) throw new Error("injected: the reply was lost");
  return value;
}

function watchedBoard(board: Board, at: <T>(call: () => Promise<T>) => Promise<T>): Board {
  const batch = async <T>(statements: D1PreparedStatement[]) => {
    watch.boardWrites += 1;
    const { boardFault: fault, boardWrites: write } = watch;
    const fails = fault !== null && write >= fault.from && write <= fault.to;
    if (fails && !fault.late) throw outage();
    const written = await at(() => board.db.batch<T>(statements));
    if (fails) throw outage();
    return written;
  };
  const db = new Proxy(board.db, {
    get: (target, key) => {
      if (watch.boardAway) throw outage();
      if (key === "batch") return batch;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { ...board, db, accept: (...args) => at(() => board.accept(...args)) };
}

function outage(): Error {
  return new Error("D1_ERROR: injected outage");
}

/** Jobs are awaited too, and what they do with their state. */
function watchedTool(tool: Tool | undefined, at: <T>(call: () => Promise<T>) => Promise<T>) {
  if (tool === undefined) return undefined;
  const jobs = tool.jobs.map((job) => ({
    ...job,
    run: (context: ToolContext<unknown>) =>
      at(() => job.run({ ...context, state: watchedState(context.state, at) })),
  }));
  return { ...tool, jobs };
}

function watchedState(state: ToolState, at: <T>(call: () => Promise<T>) => Promise<T>): ToolState {
  return {
    get: (...args) => at(() => state.get(...args)),
    set: (...args) => at(() => state.set(...args)),
    delete: (...args) => at(() => state.delete(...args)),
    list: (...args) => at(() => state.list(...args)),
  };
}

/** Tools are awaited too: the power may go just before or just after one has done its work. */
function watchedRegistry(registry: Registry, at: <T>(call: () => Promise<T>) => Promise<T>): Registry {
  return {
    ...registry,
    get: (name) => watchedTool(registry.get(name), at),
    functionsFor: (names) =>
      registry.functionsFor(names).map((offered) => ({
        ...offered,
        bound: {
          ...offered.bound,
          prepare: (args) => {
            const prepared = offered.bound.prepare(args);
            if (!prepared.ok) return prepared;
            return { ...prepared, execute: (context) => at(() => prepared.execute(context)) };
          },
        },
      })),
  };
}

async function awaited<T>(objectName: string, ctx: DurableObjectState, call: () => Promise<T>): Promise<T> {
  await moment(objectName, ctx);
  const value = await call();
  await moment(objectName, ctx);
  return value;
}

async function moment(objectName: string, ctx: DurableObjectState): Promise<void> {
  const { cut } = watch;
  if (cut === null || cut.objectName !== objectName) return;
  watch.moments += 1;
  if (watch.moments !== cut.at) return;
  watch.cut = null;
  watch.cuts += 1;
  ctx.abort("the test cut the power");
  await new Promise(() => undefined);
}

function watchedModel(
  objectName: string,
  client: ModelClient,
  at: <T>(call: () => Promise<T>) => Promise<T>,
): ModelClient {
  return {
    attempt: async (request, options) => {
      if (watch.keepRequests) watch.requests.push({ objectName, text: JSON.stringify(request) });
      const now = (watch.executing.get(objectName) ?? 0) + 1;
      watch.executing.set(objectName, now);
      watch.most.set(objectName, Math.max(now, watch.most.get(objectName) ?? 0));
      watch.trace.push(`${objectName} in`);
      await watch.modelHeld.get(objectName);
      const result = await at(() => client.attempt(request, options));
      watch.trace.push(`${objectName} out`);
      watch.executing.set(objectName, (watch.executing.get(objectName) ?? 1) - 1);
      return result;
    },
  };
}
