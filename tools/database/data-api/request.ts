/** One request in the shape of the Data API that Atlas offered until 2025, and that others go on with. */
import { EJSON } from "bson";
import { z } from "zod";
import { readCappedText } from "../../../core/tool.ts";
import type { Call } from "../backend.ts";
import { STATEMENT_MS, timeUp, within } from "../deadline.ts";
import { networkFailure } from "../network-failure.ts";
import { Refusal, type RefusalCode } from "../refusal.ts";
import { ejsonOf } from "./ejson.ts";

export type Action = "find" | "aggregate" | "insertMany" | "updateOne";

/** Of an answer; documents may be large, and all of it is in memory at once. */
const MAX_ANSWER_BYTES = 8_000_000;
const MAX_ERROR_CHARS = 300;

/** The answer, with the types of its values restored as far as the server told them. */
export async function requestData(
  { config, signal, fetch }: Call,
  action: Action,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { baseUrl = "", apiKey = "", apiKeyHeader, dataSource, database } = config;
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/action/${action}`);
  const stop = new AbortController();
  const send = async () => {
    const response = await fetch(url, {
      method: "POST",
      // The key belongs to this address and to no other.
      redirect: "error",
      headers: { "content-type": "application/json", accept: "application/ejson", [apiKeyHeader]: apiKey },
      body: JSON.stringify(ejsonOf({ dataSource, database, ...body })),
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(STATEMENT_MS)]),
    });
    return { response, ...(await readCappedText(response, MAX_ANSWER_BYTES)) };
  };
  try {
    const { response, text, cut } = await within({ signal, cut: () => stop.abort() }, send);
    if (!response.ok) throw refusal(response.status, text.replaceAll(apiKey, "***"));
    if (cut) throw tooLarge();
    return parse(text);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw failure(error, url);
  }
}

function tooLarge(): Refusal {
  return new Refusal(
    "too_large",
    `The answer has more than ${MAX_ANSWER_BYTES} bytes. Ask for fewer rows (limit) or columns.`,
  );
}

function parse(text: string): unknown {
  try {
    return EJSON.parse(text, { relaxed: false });
  } catch (cause) {
    throw new Refusal("failed", "The Data API did not answer with JSON; baseUrl may lead elsewhere.", {
      cause,
    });
  }
}

const errorSchema = z.object({ error: z.string(), error_code: z.string().optional() });

const CODES: ReadonlyMap<number, RefusalCode> = new Map([
  [401, "login_refused"],
  [403, "not_permitted"],
  [404, "misconfigured"],
  [408, "time_limit"],
  [413, "too_large"],
  [429, "busy"],
  [503, "busy"],
  [504, "time_limit"],
]);

/** Servers answer with `{error, error_code}` or with plain text. */
function refusal(status: number, text: string): Refusal {
  const parsed = errorSchema.safeParse(jsonOf(text));
  const words = parsed.success
    ? [parsed.data.error_code, parsed.data.error].filter(Boolean).join(": ")
    : text;
  const code = words.includes("E11000") ? "duplicate_key" : (CODES.get(status) ?? "failed");
  return new Refusal(code, `The Data API answered ${status}: ${words.slice(0, MAX_ERROR_CHARS).trim()}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const errorFields = z.object({ name: z.string(), message: z.string(), code: z.unknown().optional() });

function failure(error: unknown, url: URL): Refusal {
  if (error instanceof Refusal) return error;
  const { name = "", message = "", code } = errorFields.safeParse(error).data ?? {};
  if (name === "TimeoutError") return timeUp(error);
  // The guard's words can be shown as they are. It does not tell a refused connection from a broken one.
  if (name === "OutboundError" && code === "unreachable") {
    const unsure = "A change that was under way may have been made or not: look before you repeat it.";
    return new Refusal("connection_lost", `${message} ${unsure}`, { cause: error });
  }
  if (name === "OutboundError") return new Refusal("not_permitted", message, { cause: error });
  const tls = url.protocol === "https:";
  const port = url.port === "" ? (tls ? 443 : 80) : Number(url.port);
  return networkFailure(error, { host: url.hostname, port, tls });
}
