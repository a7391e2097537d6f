/**
 * Functions that a tool finds out for one agent's config, as those of a remote server: asked for when a run begins,
 * kept in the object, and offered like the others. What is kept outlives restarts; it may change between a call's
 * planning and its making, so a tool must read arguments the same way whatever it has found.
 */
import type { AgentConfig } from "../config/agent.ts";
import type { Database } from "../journal/database.ts";
import { readState, toolState, writeState } from "../journal/tool-state.ts";
import { describeError } from "../log.ts";
import { type OfferedFunction, offeredFunction, type Registry, RegistryError } from "../registry.ts";
import type { BoundFunction, Tool } from "../tool.ts";
import { scrubDocument } from "./scrub-document.ts";
import { timeLimit, whenAborted } from "./time-limit.ts";
import type { ToolCaller } from "./tool-call.ts";
import { toolContext } from "./tool-context.ts";

/** Where in the tool's state it lies. */
const FOUND_KEY = "$discovered";
/** What one look may take. */
const DISCOVERY_SECONDS = 20;
/** How long a look is waited for by who has something from before. It goes on beside the run. */
const PATIENCE_SECONDS = 3;

/** Whether any of the agent's tools has to look what it has to offer. */
export function hasDiscovery({ world, documents }: Pick<ToolCaller, "world" | "documents">): boolean {
  return discoveringTools({ world, documents }).length > 0;
}

/**
 * Lets the agent's tools look what they have to offer. Takes 20 seconds at most where nothing is known, 3 where
 * something is; `signal` ends the waiting, not the look. Never rejects: what was found before stays, and the log
 * says why there is nothing newer.
 */
export async function discoverFunctions(caller: ToolCaller): Promise<void> {
  const { world } = caller;
  const discovering = discoveringTools(caller);
  if (discovering.length === 0) return;
  const isNew = discovering.some((tool) => readState(world.db, tool.name, FOUND_KEY) === null);
  const patience = timeLimit(caller.signal, (isNew ? DISCOVERY_SECONDS : PATIENCE_SECONDS) * 1_000);
  const over = whenAborted(patience.signal);
  await Promise.race([Promise.all(discovering.map((tool) => look(caller, tool))), over]);
  patience.clear();
}

function discoveringTools({ world, documents }: Pick<ToolCaller, "world" | "documents">): Tool[] {
  const tools = Object.keys(documents.agent.tools).flatMap((name) => world.registry.get(name) ?? []);
  return tools.filter((tool) => tool.discovered !== undefined);
}

/** Looks under way, by the object they belong to and the tool: one that takes long is not begun again by the next run. */
const underWay = new WeakMap<Database, Map<string, Promise<void>>>();

function look(caller: ToolCaller, tool: Tool): Promise<void> {
  const looks = underWay.get(caller.world.db) ?? new Map<string, Promise<void>>();
  underWay.set(caller.world.db, looks);
  const begun = looks.get(tool.name) ?? lookOnce(caller, tool).finally(() => looks.delete(tool.name));
  looks.set(tool.name, begun);
  return begun;
}

async function lookOnce(caller: ToolCaller, tool: Tool): Promise<void> {
  const limit = timeLimit(new AbortController().signal, DISCOVERY_SECONDS * 1_000);
  const over = whenAborted(limit.signal);
  await Promise.race([discover({ ...caller, signal: limit.signal }, tool), over]);
  limit.clear();
}

async function discover(caller: ToolCaller, tool: Tool): Promise<void> {
  const { world, documents, runId, signal } = caller;
  try {
    const context = toolContext(world, {
      documents,
      tool: tool.name,
      runId,
      signal,
      state: toolState(world.db, tool.name),
      seconds: DISCOVERY_SECONDS,
      deliveryId: `${runId}:discovery`,
    });
    const before = readState(world.db, tool.name, FOUND_KEY);
    const found = (await tool.discovered?.discover(context, before)) ?? null;
    // It may have been taken out of service meanwhile, and have forgotten everything.
    if (found === null || signal.aborted || world.documents() === null) return;
    const value = scrubDocument(world.scrubber, found);
    world.db.transaction(() => writeState(world.db, tool.name, { key: FOUND_KEY, value }));
  } catch (error) {
    world.toolLog(tool.name, runId).warn(`Its functions could not be looked up: ${describeError(error)}`);
  }
}

/** Makes the registry of one agent: with the functions that its tools have found. */
export function withDiscovered(db: Database): (registry: Registry, agent: AgentConfig | null) => Registry {
  const known = new Map<string, Bound>();
  return (registry, agent) => {
    if (agent === null) return registry;
    const found = (names: readonly string[]) =>
      [...new Set(names)].flatMap((name) => foundFunctions({ db, known, registry, agent }, name));
    return {
      ...registry,
      functionsFor: (names) => [...registry.functionsFor(names), ...found(names)],
    };
  };
}

/** What was bound last, for as long as nothing has changed: schemas are costly to build. */
interface Bound {
  readonly config: unknown;
  readonly found: string | null;
  readonly functions: readonly OfferedFunction[];
}

interface Place {
  readonly db: Database;
  readonly known: Map<string, Bound>;
  readonly registry: Registry;
  readonly agent: AgentConfig;
}

function foundFunctions({ db, known, registry, agent }: Place, name: string): readonly OfferedFunction[] {
  const tool = registry.get(name);
  if (tool?.discovered === undefined || !Object.hasOwn(agent.tools, name)) return [];
  const config = agent.tools[name];
  const found = readState(db, name, FOUND_KEY);
  const before = known.get(name);
  if (before !== undefined && before.config === config && before.found === found) return before.functions;
  const functions = usable(tool, tool.discovered.bind(config, found));
  known.set(name, { config, found, functions });
  return functions;
}

/** A server's fault must not take the agent's other functions away: what cannot be offered is left out. */
function usable(tool: Tool, functions: readonly BoundFunction[]): OfferedFunction[] {
  const byName = new Map<string, OfferedFunction>();
  for (const bound of functions) {
    if (!bound.name.startsWith(`${tool.name}_`) || byName.has(bound.name)) continue;
    const offered = offeredOrNull(tool, bound);
    if (offered !== null) byName.set(bound.name, offered);
  }
  return [...byName.values()];
}

function offeredOrNull(tool: Tool, bound: BoundFunction): OfferedFunction | null {
  try {
    return offeredFunction(tool, bound);
  } catch (error) {
    if (error instanceof RegistryError) return null;
    throw error;
  }
}
