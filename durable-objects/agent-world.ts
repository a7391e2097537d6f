/** Builds the world of one agent's object from its bindings. */
import { currentConversation, storedDocuments } from "../core/agent/agent.ts";
import type { ChannelTransports } from "../core/channels/channel.ts";
import { deliverNotices } from "../core/channels/notices.ts";
import type { AgentConfig } from "../core/config/agent.ts";
import { toolConfigFor } from "../core/config/tool-config.ts";
import type { MailTransport } from "../core/email/transport.ts";
import { type Conversation, loadConversation } from "../core/engine/conversation.ts";
import { withDiscovered } from "../core/engine/discovered.ts";
import type { Documents, World } from "../core/engine/world.ts";
import { Gate } from "../core/gate/gate.ts";
import { newRunId } from "../core/ids.ts";
import type { Database } from "../core/journal/database.ts";
import { createLogger, describeError } from "../core/log.ts";
import { createPricer } from "../core/model/price.ts";
import { writeRecord } from "../core/record/write-record.ts";
import type { Registry } from "../core/registry.ts";
import type { Scrubber } from "../core/scrub/index.ts";
import { maskedScope, whileTraced } from "../core/telemetry/scope.ts";
import { again } from "./again.ts";
import { boardPort } from "./board-port.ts";
import { channelPort, noticePort } from "./channel-port.ts";
import type { Env } from "./env.ts";
import { type LivePace, livePublisher } from "./live-publisher.ts";
import { logSink } from "./log-sink.ts";
import { mailPort } from "./mail-port.ts";
import { modelClients } from "./model-clients.ts";
import { chainPort, colleaguePort, dayPort } from "./ports.ts";
import { randomLetters } from "./random-letters.ts";
import { sleep } from "./sleep.ts";
import { isTraced, workersSpan } from "./telemetry-port.ts";

export interface WorldInput {
  readonly objectName: string;
  readonly env: Env;
  readonly db: Database;
  /** Both know every secret of the environment but the variables named. */
  readonly registry: (plainVars: readonly string[]) => Registry;
  readonly scrubber: (plainVars: readonly string[]) => Scrubber;
  readonly transports: ChannelTransports;
  readonly mail: MailTransport;
  readonly livePace: LivePace | undefined;
  readonly outboxFilled: World["outboxFilled"];
}

/** `documents.current` is what is in force; whoever stores new ones sets it. */
export interface DocumentsCell {
  current: Documents | null;
}

export function agentWorld(input: WorldInput, documents: DocumentsCell): World {
  const { env, db, objectName } = input;
  const scrubber = byPlainVars(documents, input.scrubber);
  const registry = byPlainVars(documents, input.registry);
  const ofAgent = withDiscovered(db);
  const scrub = (text: string) => scrubber().scrub(text);
  const sink = logSink(env, scrub);
  const log = (module: string, runId?: string) =>
    createLogger({
      module,
      agentId: objectName,
      ...(runId === undefined ? {} : { runId }),
      now: Date.now,
      scrub,
      sink: sink.take,
    });
  documents.current = storedDocuments({ db });
  const publish = livePublisher(
    (events) => again(async () => env.HUB.get(env.HUB.idFromName("hub")).publish(events)),
    (error) => log("Core").warn(`The live feed is away: ${describeError(error)}`),
    input.livePace,
  );
  const channels = { env, transports: input.transports, scrubber };
  const notices = noticePort(channels, log("Core"));
  /** At once and beside everything else; what fails is left to the minute's scan. */
  const sendNotices = () => {
    const instance = documents.current?.instance;
    if (instance === undefined) return;
    deliverNotices(notices, instance).catch((error: unknown) =>
      notices.log.error("Notices were not sent", error),
    );
  };
  return {
    objectName,
    db,
    gate: new Gate(),
    active: new Map(),
    get registry() {
      return ofAgent(registry(), documents.current?.agent ?? null);
    },
    get scrubber() {
      return scrubber();
    },
    price: createPricer(Date.now),
    log: log("Core"),
    now: Date.now,
    random: Math.random,
    newRunId: (name) => newRunId({ now: Date.now, random: randomLetters }, name),
    sleep,
    documents: () => documents.current,
    conversation: conversationNow(db, documents),
    modelClient: modelClients(env),
    toolConfig: (agent, tool) => toolConfig(agent, tool, env),
    runLog: (runId) => log("Core", runId),
    flushLog: sink.flush,
    toolLog: (tool, runId) => log(`Tool_${tool}`, runId),
    fetch: (input, init) => fetch(input, init),
    channels: channelPort(channels),
    mail: mailPort(env, () => documents.current?.instance, input.mail),
    chain: (rootRunId) => chainPort(env, rootRunId),
    day: dayPort(env),
    colleague: (agentId) => colleaguePort(env, agentId),
    writeRecord: async (rows) => {
      await sink.ride((lines) => writeRecord(env.DB, env.TEXTS, { ...rows, lines }));
      if (rows.notices.length > 0) sendNotices();
    },
    publish,
    board: {
      ...boardPort(env, log("Core")),
      publish: (events) => {
        if (events.some(({ type }) => type === "notice")) sendNotices();
        return publish(events);
      },
    },
    span: whileTraced(maskedScope(workersSpan, scrub), isTraced),
    outboxFilled: input.outboxFilled,
  };
}

/** Loads the current conversation once; it is another one after a reset. */
function conversationNow(db: Database, documents: DocumentsCell): () => Conversation {
  let conversation: Conversation | null = null;
  return () => {
    const id = currentConversation({ db });
    if (conversation?.id !== id)
      conversation = loadConversation(db, id, documents.current?.agent.limits.toolResultChars ?? 20_000);
    return conversation;
  };
}

/** Follows the instance's list of plain variables, which may change with the documents. */
function byPlainVars<T>(documents: DocumentsCell, make: (plainVars: readonly string[]) => T): () => T {
  let known: { readonly plainVars: readonly string[] | undefined; readonly made: T } | null = null;
  return () => {
    const plainVars = documents.current?.instance.plainVars;
    if (known === null || known.plainVars !== plainVars) known = { plainVars, made: make(plainVars ?? []) };
    return known.made;
  };
}

function toolConfig(agent: AgentConfig, tool: string, env: Env): unknown {
  const resolved = toolConfigFor(agent, tool, { ...env });
  if (resolved.ok) return resolved.value;
  if (resolved.code === "missing_secret")
    throw new Error(`The secret ${resolved.missing.join(", ")} is not set.`);
  throw new Error(`The tool ${tool} is not configured.`);
}
