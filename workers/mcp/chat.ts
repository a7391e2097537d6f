/** The tool `chat`: a run of an agent, in its conversation or on its own. */
import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { NewRun } from "../../core/journal/runs.ts";
import { requireAgent } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { newRootRun, streamRun } from "../execute-run.ts";
import { runEvents, type StreamedEvent } from "../run-events.ts";
import { answering, cutText } from "./answer.ts";
import { type Door, refuseOwnAgents } from "./server.ts";

const input = z.object({
  agentId: z.string().describe("Whom to talk to, as list_agents says."),
  message: z.string().min(1).max(8_000_000),
  conversation: z
    .enum(["isolated", "agent"])
    .default("isolated")
    .describe(
      "isolated: the agent knows nothing of earlier messages. agent: a turn in its one lasting conversation.",
    ),
});

const output = z.object({
  runId: z.string(),
  rootRunId: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  reply: z.string(),
});

export function addChat(server: McpServer, door: Door): void {
  server.registerTool(
    "chat",
    {
      description: "Gives an agent a message and waits for its answer, which may take minutes.",
      inputSchema: input,
      outputSchema: output,
    },
    (asked, context) => answering(door.log, () => chat(door, asked, context)),
  );
}

async function chat(
  door: Door,
  asked: z.infer<typeof input>,
  context: ServerContext,
): Promise<CallToolResult> {
  const { agentId, message } = asked;
  await refuseOwnAgents(door);
  await requireAgent(door.env, agentId);
  const isTurn = asked.conversation === "agent";
  const run = newRootRun(
    isTurn
      ? { agentId, trigger: "chat", lane: "conversation", message }
      : { agentId, trigger: "run", lane: "isolated", message },
  );
  return ended(run, await done(await streamRun(door.env, agentId, run), run, context));
}

type Done = Extract<StreamedEvent, { type: "done" }>;

async function done(events: ReadableStream<Uint8Array>, run: NewRun, context: ServerContext): Promise<Done> {
  const tell = teller(context);
  try {
    for await (const event of runEvents(events, context.mcpReq.signal)) {
      if (event.type === "done") return event;
      if (event.type === "run") await tell(`The run ${run.runId} is ${event.state}.`);
      if (event.type === "alive") await tell(`The run ${run.runId} goes on.`);
      if (event.type === "tool_call") await tell(`It calls ${event.name}.`);
    }
  } catch {
    // The run's object was moved or restarted.
  }
  throw new ApiError("unavailable", `The run ${run.runId} goes on, but its answer could not be waited for.`);
}

/** Tells a client that has asked for it how the run gets on; one that has left is told nothing, and the run goes on. */
function teller({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async (message) => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    progress += 1;
    await mcpReq
      .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
      .catch(() => undefined);
  };
}

/** Characters of a reply. It comes twice: some clients read the content only, others what is structured only. */
const REPLY_CHARS = 100_000;

function ended({ runId }: NewRun, { reply: whole, receipt }: Done): CallToolResult {
  const reply = cutText(whole, REPLY_CHARS);
  const { status, reason, error } = receipt;
  const completed = status === "completed";
  const trouble = `The run ended as ${status}${reason === null ? "" : ` (${reason})`}. ${error ?? ""}`.trim();
  return {
    content: [{ type: "text", text: completed ? reply : [trouble, reply].join("\n\n").trim() }],
    structuredContent: { runId, rootRunId: runId, status, reason, reply },
    isError: !completed,
  };
}
