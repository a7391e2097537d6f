/** This instance as an MCP server: one server object for each request, nothing is kept between them. */
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Logger } from "../../core/log.ts";
import type { Reader } from "../../core/record/reader.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { instanceOf } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { hubStub } from "../objects.ts";
import { VERSION } from "../version.ts";
import { answering, shown } from "./answer.ts";
import { addChat } from "./chat.ts";
import { addSearch } from "./search.ts";
import { addTasks } from "./tasks.ts";

/** What the tools work with, for one request. */
export interface Door {
  readonly env: Env;
  readonly log: Logger;
  readonly reader: Reader;
  /** The instance whose agent asks, as its tool `Mcp` says; it only ever closes something, so nobody gains by lying. */
  readonly askedBy: string | null;
}

/**
 * Throws ApiError when one of our own agents wants to cause work by this way: it would begin a chain anew, without the
 * depth and the budget of its own.
 */
export async function refuseOwnAgents({ env, askedBy }: Door): Promise<void> {
  if (askedBy === null) return;
  const { id } = instanceOf(await again(() => hubStub(env).directory()));
  if (askedBy === id)
    throw new ApiError(
      "refused",
      "Agents of this instance ask with ask_agent and give tasks on the taskboard.",
    );
}

export function mcpServer(door: Door): McpServer {
  const server = new McpServer({ name: "parley", version: VERSION });
  server.registerTool(
    "list_agents",
    {
      description: "The agents of this instance: whom chat and create_task can name.",
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true },
    },
    () =>
      answering(door.log, async () => {
        const { agents } = await again(() => hubStub(door.env).directory());
        return shown({ agents });
      }),
  );
  addChat(server, door);
  addTasks(server, door);
  addSearch(server, door);
  return server;
}
