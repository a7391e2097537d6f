/** Findings about tasks on which nothing happens any more. */
import type { Reader } from "../record/reader.ts";
import type { Cause, Finding } from "./finding.ts";
import { MAX_SOURCES } from "./finding-sources.ts";
import type { Scope } from "./scope.ts";
import type { StatsClock } from "./stats.ts";
import { readSilted, type UnfinishedTask } from "./unfinished.ts";

type Told = Omit<Finding, "text" | "causeText">;

const HOUR_MS = 3_600_000;

/** Those that wait longest come first, whenever they were given. Rejects when D1 does. */
export async function findSilted(
  reader: Reader,
  scope: Pick<Scope, "period" | "filter">,
  options: StatsClock & { readonly limit: number },
): Promise<Told[]> {
  const silted = await readSilted(reader, scope, options);
  const rows = await reader.all<{ id: number; taskId: string }>(
    MESSAGES,
    JSON.stringify(silted.map(({ rootRunId, taskId }) => [rootRunId, taskId])),
    MAX_SOURCES,
  );
  const messages = Map.groupBy(rows, ({ taskId }) => taskId);
  return silted.map((task) => ({
    id: `silted_task:${task.taskId}`,
    code: "silted_task",
    cause: causeOf(task),
    count: Math.floor((options.now - Date.parse(task.updatedAt)) / HOUR_MS),
    numbers: { attempts: task.attempts },
    agents: [task.creator, task.assignee],
    channel: "task",
    taskId: task.taskId,
    firstAt: task.createdAt,
    lastAt: task.updatedAt,
    messageIds: (messages.get(task.taskId) ?? []).map(({ id }) => id),
    rootRunIds: [task.rootRunId],
    example: { question: task.title, answer: null },
  }));
}

/** An agent that has it and does nothing fails; what waits for somebody else to decide waits for nobody in particular. */
function causeOf({ status, assignee }: UnfinishedTask): Cause {
  const waitsForSomebody = status === "review" || status === "waiting" || assignee === "@human";
  return waitsForSomebody ? "unclear_responsibility" : "failing_colleague";
}

const MESSAGES = `SELECT m."Id" AS "id", m."TaskId" AS "taskId" FROM json_each(?1) t JOIN "AgentMessages" m ON m."Id" IN (
    SELECT x."Id" FROM "AgentMessages" x WHERE x."RootRunId" = json_extract(t."value", '$[0]') AND x."TaskId" = json_extract(t."value", '$[1]')
    ORDER BY x."OccurredAt" LIMIT ?2)
  ORDER BY m."Id"`;
