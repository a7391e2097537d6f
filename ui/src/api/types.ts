/** What the API answers, read off the Worker's routes. */
import type { InferResponseType } from "hono/client";
import type { api } from "./client.ts";

type MessagePage = InferResponseType<typeof api.messages.$get>;
export type Message = MessagePage["messages"][number];
export type Pair = InferResponseType<typeof api.pairs.$get>[number];
export type Agent = InferResponseType<typeof api.agents.$get>[number];
export type Chain = InferResponseType<(typeof api.chains)[":rootRunId"]["$get"]>;
export type Task = InferResponseType<typeof api.tasks.$get>[number];
