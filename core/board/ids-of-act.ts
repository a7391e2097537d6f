/** Ids of what an act creates. */
import { sha256 } from "../sha256.ts";
import type { Actor } from "./task.ts";

export interface IdsOfAct {
  readonly taskId: string;
  /** The id of the new task's first run, in the object that will work on it. */
  readonly runId: (objectName: string) => string;
}

const ID_LENGTH = 13;
const TIME_LENGTH = 9;

/**
 * The same for the same act: when it is made again after a power cut, the chain, which may have admitted the
 * run already, does not end up with a member that never comes to be.
 */
export async function idsOfAct(uid: string, creator: Actor): Promise<IdsOfAct> {
  const { buffer } = await sha256(uid);
  const id = new DataView(buffer).getBigUint64(0).toString(36).padStart(ID_LENGTH, "0");
  // Run ids sort by time: this one by that of the act's run.
  const time = creator.runId.slice(creator.runId.lastIndexOf(".") + 1).slice(0, TIME_LENGTH);
  return { taskId: `t${id}`, runId: (objectName) => `${objectName}.${time}${id}` };
}
