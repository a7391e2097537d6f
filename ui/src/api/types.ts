/** What the API answers, read off the Worker's routes. */
import type { InferResponseType } from "hono/client";
import type { api } from "./client.ts";

type MessagePage = InferResponseType<typeof api.messages.$get>;
export type Message = MessagePage["messages"][number];
export type Agent = InferResponseType<typeof api.agents.$get>[number];
export type Chain = InferResponseType<(typeof api.chains)[":rootRunId"]["$get"]>;
export type Task = InferResponseType<typeof api.tasks.$get>[number];
export type LogLine = InferResponseType<typeof api.logs.$get>[number];
export type TaskDetail = InferResponseType<(typeof api.tasks)[":id"]["$get"]>;
export type Turn = InferResponseType<
  (typeof api.agents)[":agentId"]["conversation"]["$get"]
>["turns"][number];
export type Notice = InferResponseType<typeof api.notices.$get>[number];
export type Approval = InferResponseType<typeof api.approvals.$get>[number];
export type Job = InferResponseType<typeof api.jobs.$get>[number];
export type RunDetail = InferResponseType<(typeof api.runs)[":runId"]["$get"]>;
export type AuditEntry = InferResponseType<typeof api.audit.$get>[number];
export type Stats = InferResponseType<typeof api.stats.$get>;
export type Finding = InferResponseType<typeof api.findings.$get>["findings"][number];
