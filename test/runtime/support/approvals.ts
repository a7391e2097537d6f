/** Calls that wait for a person, as a client uses them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import { eventually, get, send } from "./api.ts";
import { agent, type Rule } from "./team.ts";

const approvalShape = z.looseObject({
  approvalId: z.string(),
  agentId: z.string(),
  runId: z.string(),
  rootRunId: z.string(),
  tool: z.string(),
  arguments: z.string(),
  decision: z.string().nullable(),
});

export async function approvals(agentId: string) {
  const all = z.array(approvalShape).parse(await get("/api/approvals"));
  return all.filter((approval) => approval.agentId === agentId);
}

/** The one call of that agent that waits, once the record has it. */
export async function waitingCall(agentId: string): Promise<z.infer<typeof approvalShape>> {
  await eventually(async () => (await approvals(agentId)).length === 1);
  const [only] = await approvals(agentId);
  if (only === undefined) throw new Error("Nothing waits");
  return only;
}

export function decide(approvalId: string, decision: string, comment?: string): Promise<Response> {
  const body = comment === undefined ? { decision } : { decision, comment };
  return send("POST", `/api/approvals/${encodeURIComponent(approvalId)}`, body);
}

export const append = { name: "FileRW", arguments: { action: "append", path: "log.txt", content: "x" } };

/** An agent whose appends need leave: told "go" it appends once; it repeats what became of it. */
export function careful(agentId: string, extra: readonly Rule[] = []): Record<string, unknown> {
  return agent(agentId, {
    rules: [
      ...extra,
      { when: { user: "/^go/", step: 0 }, calls: [append] },
      { when: { user: "/^go/", step: 1 }, say: "told: {{result}}" },
      { when: { user: "/^Your call/" }, say: "heard: {{user}}" },
    ],
    tools: {
      FileRW: { rootPath: agentId, allowWrite: true, allowedExtensions: [".txt"], approve: ["append"] },
      AskAgent: {},
      Taskboard: {},
    },
  });
}

/** What the agent's file holds: one letter per append. */
export async function appended(agentId: string): Promise<string> {
  const { objects } = await env.FILES.list();
  const found = objects.find((object) => object.key.includes(`/${agentId}/`));
  return found === undefined ? "" : ((await (await env.FILES.get(found.key))?.text()) ?? "");
}

/** Moves the end of a waiting call's time into the past, in its object and in the record. */
export async function runOut(agentId: string, approvalId: string): Promise<void> {
  await runInDurableObject(env.AGENTS.get(env.AGENTS.idFromName(agentId)), (_, state) => {
    state.storage.sql.exec("UPDATE Approvals SET expiresAt = 1 WHERE approvalId = ?", approvalId);
  });
  await env.DB.prepare(`UPDATE "Approvals" SET "ExpiresAt" = '2020-01-01T00:00:00.000Z' WHERE "Uid" = ?`)
    .bind(approvalId)
    .run();
}
