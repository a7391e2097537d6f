import { startConversation, storedDocuments } from "../core/agent/agent.ts";
import { type AgentStatus, agentStatus, conversationView, type TurnView } from "../core/agent/views.ts";
import { type ErasedInAgent, type EraseRequest, eraseInAgent } from "../core/erase/erase-agent.ts";
import { needleOf } from "../core/erase/needle.ts";
import { listWorkers, noteWorkers } from "../core/erase/worker-list.ts";
import { AgentWork } from "./agent/agent-work.ts";

/** Names that one answer lists. */
const WORKERS_AT_ONCE = 200;

/** One object per agent: its run gate, its conversation, its outbox. The Worker's entry derives its class from this. */
export class AgentBase extends AgentWork {
  async status(): Promise<AgentStatus> {
    return agentStatus(this.parts.world);
  }

  async conversation(): Promise<{ turns: TurnView[] }> {
    return conversationView(this.parts.world);
  }

  async resetConversation(): Promise<void> {
    startConversation(this.parts.world);
  }

  /** A stretch of erasing; safe to repeat. */
  async erase({ text, ...request }: EraseRequest): Promise<ErasedInAgent> {
    const { world, delivery, documents } = this.parts;
    // Lines and rows that are still to come to D1 would come there afterwards.
    await delivery.settled();
    await world.flushLog();
    const erased = eraseInAgent(world, needleOf(text), request);
    if (storedDocuments(world) === null) documents.current = null;
    return erased;
  }

  /** Its fresh workers, those after that one. */
  async workers(after: string): Promise<string[]> {
    return listWorkers(this.parts.world.db, after, WORKERS_AT_ONCE);
  }

  async noteWorkers(workers: readonly string[]): Promise<void> {
    const { db } = this.parts.world;
    db.transaction(() => noteWorkers(db, workers));
  }
}
