/** The chain header on mail of ours that goes to an agent of ours; mail to people carries none. */
import { colleaguesOf } from "../ask/policy.ts";
import type { Member } from "../chain/members.ts";
import { becomeChained } from "../engine/chain-books.ts";
import { agentIdOf, type Documents, type World } from "../engine/world.ts";
import { findRun, type RunRecord } from "../journal/runs.ts";
import type { MailHeader } from "../tool.ts";
import { CHAIN_HEADER, chainHeader } from "./chain-header.ts";
import { routeOf } from "./route.ts";

export interface MailToStamp {
  /** The run whose act it is. */
  readonly runId: string;
  /** Names the mail for good: the same one again is one. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Answers go wherever the question came from. */
  readonly reply: boolean;
}

const NONE: MailHeader = { ok: true, header: null };

/** None for a recipient that is no agent, and for what no run has caused. Rejects when the chain is out of reach. */
export async function chainStamp(world: World, mail: MailToStamp): Promise<MailHeader> {
  const email = world.mail.open();
  const documents = world.documents();
  const to = email === null ? null : routeOf(email, mail.to);
  if (email === null || documents === null || to === null) return NONE;
  if (!mail.reply && !mayWriteTo(documents, to.agentId)) return notColleague(to.agentId);
  const run = findRun(world.db, mail.runId);
  if (run === null) return NONE;
  becomeChained(world, mail.runId);
  const agentId = agentIdOf(world);
  const entered = mail.reply ? null : await enter(world, run, documents);
  if (entered?.ok === false) return { ok: false, code: "chain_refused", reason: entered.reason };
  const claim = { ...mail, agentId, lineage: run.lineage };
  const value = await chainHeader(email.signingKey, claim, world.now());
  return { ok: true, header: { name: CHAIN_HEADER, value } };
}

/** As with questions and tasks; a mail to oneself is none to a colleague. */
function mayWriteTo({ agent, directory }: Documents, agentId: string): boolean {
  if (agentId === agent.agentId) return true;
  return colleaguesOf(agent.agentId, agent.colleagues, directory).some((entry) => entry.agentId === agentId);
}

function notColleague(agentId: string): MailHeader {
  return { ok: false, code: "not_colleague", reason: `${agentId} is not among your colleagues` };
}

/** Before the mail can come in, so that the run that it starts finds this one counted. */
function enter(world: World, { runId, lineage, trigger, asker }: RunRecord, { agent, instance }: Documents) {
  const { parentRunId, depth, rootRunId } = lineage;
  const member: Member = { runId, agentId: agent.agentId, parentRunId, depth, trigger };
  return world.chain(rootRunId).admit(member, instance.perChain, asker ?? null);
}
