/** A chain as the objects know it, while D1 may be away. */
import type { RunDetail } from "../core/agent/views.ts";
import type { ChainView } from "../core/chain/chain.ts";
import { isEngineId, objectNameOf } from "../core/ids.ts";
import { getReceipt } from "../core/record/read-run.ts";
import type { Reader } from "../core/record/reader.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { chainStub, runStub } from "./objects.ts";

const NO_CHAIN: ChainView = { members: [], frozen: null, cancelled: false };

/** For an id that the engine did not make no object is made, and none for a chain whose books its root keeps. */
export async function liveChain(env: Env, reader: Reader, rootRunId: string): Promise<ChainView> {
  if (!isEngineId(rootRunId)) return NO_CHAIN;
  if (objectNameOf(rootRunId) === null) return again(() => chainStub(env, rootRunId).view());
  const root = (await again(async () => runStub(env, rootRunId)?.run(rootRunId))) ?? null;
  if (root !== null) return chainOfRun(env, root);
  // Its object forgets an old run; the chain may still be going on, or be frozen.
  const receipt = await getReceipt(reader, rootRunId).catch(() => null);
  return receipt === null ? NO_CHAIN : again(() => chainStub(env, rootRunId).view());
}

/** The chain that a run belongs to. */
export async function chainOfRun(env: Env, detail: RunDetail): Promise<ChainView> {
  const keeper = await bookKeeper(env, detail);
  if (!keeper.run.chained) return { ...NO_CHAIN, members: [rootMember(keeper), ...keeper.asked] };
  return again(() => chainStub(env, keeper.run.rootRunId).view());
}

/** Of an answer that the chain has no object for, the books are its asker's. */
async function bookKeeper(env: Env, detail: RunDetail): Promise<RunDetail> {
  const { chained, parentRunId, rootRunId } = detail.run;
  if (chained || parentRunId === null) return detail;
  return (await again(async () => runStub(env, rootRunId)?.run(rootRunId))) ?? detail;
}

function rootMember({ run, receipt }: RunDetail) {
  const { runId, agentId, parentRunId, depth, trigger, acceptedAt } = run;
  return { runId, agentId, parentRunId, depth, trigger, admittedAt: acceptedAt, receipt };
}
