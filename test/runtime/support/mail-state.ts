/** What has come of mail, as the instance and its agents' objects know it. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import { eventually, get } from "./api.ts";
import { post } from "./mail.ts";

const turnsShape = z.object({ turns: z.array(z.looseObject({ runId: z.string() })) });
const runShape = z.object({
  run: z.looseObject({ trigger: z.string(), lane: z.string(), input: z.string() }),
});

export async function runsOf(agentId: string): Promise<string[]> {
  return turnsShape.parse(await get(`/api/agents/${agentId}/conversation`)).turns.map(({ runId }) => runId);
}

export async function lastRun(agentId: string) {
  const runId = (await runsOf(agentId)).at(-1) ?? "";
  return runShape.parse(await get(`/api/runs/${encodeURIComponent(runId)}`)).run;
}

/** What came of the latest mail: the answer to it. */
export async function answer(count = 1) {
  await eventually(async () => post.sent.length === count);
  const mail = post.sent.at(-1);
  if (mail === undefined) throw new Error("Nothing was sent");
  return mail;
}

export async function logged(): Promise<string[]> {
  const { results } = await env.DB.prepare(`SELECT "Text" AS text FROM "Logs"`).all<{ text: string }>();
  return results.map(({ text }) => text);
}

export async function receiptsOf(agentId: string): Promise<number> {
  const statement = env.DB.prepare(`SELECT count(*) AS n FROM "RunReceipts" WHERE "AgentId" = ?`);
  return Number(await statement.bind(agentId).first("n"));
}

/** What has become of the latest answer, as the agent's object knows it. */
export async function replyState(agentId: string): Promise<string> {
  // Wakes the object, as its alarm would.
  await get(`/api/agents/${agentId}/conversation`);
  return inObject(agentId, (sql) => {
    const [row] = sql
      .exec<{ state: string }>("SELECT state FROM MailReplies ORDER BY at DESC LIMIT 1")
      .toArray();
    return row === undefined || row.state === "waiting" || row.state === "sending" ? "open" : row.state;
  });
}

/** Of all answers. */
export function replyStates(agentId: string): Promise<string[]> {
  const all = "SELECT state FROM MailReplies";
  return inObject(agentId, (sql) =>
    sql
      .exec<{ state: string }>(all)
      .toArray()
      .map(({ state }) => state),
  );
}

export function inObject<T>(agentId: string, look: (sql: SqlStorage) => T): Promise<T> {
  const stub = env.AGENTS.get(env.AGENTS.idFromName(agentId));
  return runInDurableObject(stub, (_, state) => look(state.storage.sql));
}

/** Everything that is planned is due, and the object's alarm rings. */
export async function answersDue(agentId: string): Promise<void> {
  const due = "UPDATE MailReplies SET nextAt = 1 WHERE nextAt IS NOT NULL";
  await inObject(agentId, (sql) => sql.exec(due).rowsWritten);
  await runDurableObjectAlarm(env.AGENTS.get(env.AGENTS.idFromName(agentId)));
}
