/** What the record and the API say of a chain. */
import { env } from "cloudflare:workers";
import { z } from "zod";
import { get } from "./api.ts";

const noticeShape = z.looseObject({ kind: z.string(), rootRunId: z.string().nullable(), text: z.string() });
export const notices = async () => z.array(noticeShape).parse(await get("/api/notices"));
export const noticesOf = async (rootRunId: string) =>
  (await notices()).filter((notice) => notice.rootRunId === rootRunId);
export const chainOf = (rootRunId: string) => get(`/api/chains/${rootRunId}`);
const chainShape = z.looseObject({
  runs: z.array(
    z.looseObject({
      agentId: z.string(),
      status: z.string().nullable(),
      inputTokens: z.number().nullable(),
      outputTokens: z.number().nullable(),
    }),
  ),
});
export const chainRuns = async (rootRunId: string) => chainShape.parse(await chainOf(rootRunId)).runs;
export const receiptsOf = async (rootRunId: string) =>
  (
    await env.DB.prepare(
      "SELECT AgentId, Status, Reason, Steps, CostMicros FROM RunReceipts WHERE RootRunId = ? ORDER BY AgentId",
    )
      .bind(rootRunId)
      .all()
  ).results;
