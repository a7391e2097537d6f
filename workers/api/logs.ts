import { type Context, Hono, type MiddlewareHandler } from "hono";
import { z } from "zod";
import { LOG_LEVELS } from "../../core/log.ts";
import { listLog, readLogDay } from "../../core/record/list-log.ts";
import type { LogView } from "../../core/record/log-rows.ts";
import type { AppEnv } from "../app-env.ts";
import { checkBody, checkQuery } from "../body.ts";
import { badQuery } from "../errors.ts";
import { readerOf } from "../server-timing.ts";

const word = z.string().max(200).optional();
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const logQuery = z.object({
  day: z.union([z.literal(""), z.string().regex(DAY, "Must be a day, YYYY-MM-DD")]).optional(),
  module: z
    .union([z.literal(""), z.string().regex(/^(Core|Worker|Tool_[A-Za-z0-9_-]{1,64})$/, "Must be a module")])
    .optional(),
  level: z.union([z.enum(LOG_LEVELS), z.literal("")]).optional(),
  agentId: word,
  runId: word,
  q: z.string().max(1_000).optional(),
  since: word,
  before: word,
  limit: z.coerce.number().int().min(1).max(500).optional(),
});

type LogQuery = z.infer<typeof logQuery>;

/** For `Accept: text/plain`; everybody else is answered by the route itself. */
const asFile: MiddlewareHandler<AppEnv> = async (context, next) => {
  if (!wantsText(context)) return next();
  return dayFile(context, checkBody(context.req.query(), logQuery));
};

export const logRoutes = new Hono<AppEnv>()
  /** Newest first; the cursor for older ones stands in the header `X-Older`. As text: the day's file, oldest first. */
  .get("/", asFile, checkQuery(logQuery), async (context) => {
    const query = context.req.valid("query");
    const result = await listLog(readerOf(context), query);
    if (!result.ok) throw badQuery(result.problem);
    if (result.older !== null) context.header("X-Older", result.older);
    return context.json(result.lines);
  });

function wantsText(context: Context<AppEnv>): boolean {
  return /^text\/plain\b/.test(context.req.header("Accept")?.trim() ?? "");
}

const FILE_PAGE = 1_000;

/**
 * Read page by page as the client takes it, so no day is too long for the Worker's memory. The first page is
 * read before the answer begins: what goes wrong there is an error, and `Server-Timing` tells of it.
 */
async function dayFile(context: Context<AppEnv>, query: LogQuery): Promise<Response> {
  const day = query.day || new Date().toISOString().slice(0, 10);
  if (Number.isNaN(Date.parse(day))) throw badQuery({ parameter: "day", code: "bad_time" });
  const reader = readerOf(context);
  const page = (after: number) => readLogDay(reader, { ...query, day }, { after, limit: FILE_PAGE });
  let lines = await page(0);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (lines.length > 0) controller.enqueue(encoder.encode(lines.map(fileLine).join("")));
      const last = lines.at(-1);
      if (last === undefined || lines.length < FILE_PAGE) return controller.close();
      lines = await page(last.id);
    },
  });
  return context.body(body, 200, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Disposition": `attachment; filename="${query.module || "Parley"}.log"`,
  });
}

/** A text's own line ends are indented, so that no text can pass for a line of its own. */
function fileLine({ occurredAt, level, module, agentId, runId, text }: LogView): string {
  const who = [agentId, runId].filter((each) => each !== null).join(" ");
  const head = [occurredAt, level.toUpperCase().padEnd(5), module, ...(who === "" ? [] : [`[${who}]`])];
  return `${head.join(" ")} ${text.replaceAll(/\r\n|[\n\r\u2028\u2029]/g, "\n\t")}\n`;
}
