import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "../instance/paths.mjs";
import { Problem } from "../instance/problem.mjs";
import { apiOf } from "./api.mjs";
import { readChain, waitForRun, withKeys } from "./record.mjs";
import { createStory } from "./story.mjs";
import { printSummary } from "./summary.mjs";

/** Who gets the instruction. */
const INSTRUCTED = "assistant";
/** The feed may be a moment behind the chat's own stream. */
const FEED_BEHIND_MS = 5_000;

/**
 * Gives the team its instruction, shows what happens until the run is over, and then what is on record.
 * @param stage `{instance, screen, texts, language}`
 * @returns null when the demo reached its end, else why not
 */
export async function playDemo({ instance, screen, texts, language }) {
  const api = apiOf(instance);
  const agents = await api.get("/api/agents");
  checkTeam(agents);
  const scripted = new Set(
    agents.filter((agent) => agent.provider === "scripted").map((agent) => agent.agentId),
  );
  for (const line of describeTeam(agents, texts)) screen.paragraph(line, 0);
  screen.paragraph(texts.watch(linkOf(instance)), 0);
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  const story = createStory({ screen, texts, scripted, elapsed, agentId: INSTRUCTED });
  const receipt = await follow({ api, story, screen, texts }, readInstruction(language));
  const { agentId, status, durationMs } = receipt;
  screen.event(elapsed(), "", texts.ended(agentId, texts.status(status), texts.duration(durationMs)));
  const files = await withKeys(api, story.files());
  const record = await readChain(api, receipt.rootRunId);
  printSummary({ screen, texts, files, stateDir: instance.stateDir, ...record });
  printPlaces({ instance, screen, texts, rootRunId: receipt.rootRunId });
  if (status !== "completed") return texts.runEnded(texts.status(status), receipt.error);
  return files.length === 0 ? texts.noFile : null;
}

export const linkOf = ({ viewerUrl, token }) => `${viewerUrl}/#token=${encodeURIComponent(token)}`;

function readInstruction(language) {
  return JSON.parse(readFileSync(join(root, "demo", "instruction.json"), "utf8"))[language];
}

function checkTeam(agents) {
  const instructed = agents.find((agent) => agent.agentId === INSTRUCTED);
  if (instructed === undefined) {
    throw new Problem(
      `This instance has no agent ${INSTRUCTED}, so its team is not the demo's. Unset PARLEY_CONFIG, or give ` +
        "the demo a place of its own: STATE_DIR=another/folder.",
    );
  }
  const paused = agents.filter((agent) => agent.paused).map((agent) => agent.agentId);
  if (paused.length > 0) {
    throw new Problem(
      `Paused: ${paused.join(", ")}. Resume them (POST /api/resume) and start the demo again.`,
    );
  }
}

function describeTeam(agents, texts) {
  const scripted = agents.filter((agent) => agent.provider === "scripted");
  if (scripted.length === agents.length) return [texts.allScripted];
  const others = agents.filter((agent) => agent.provider !== "scripted");
  const names = others.map((agent) => `${agent.agentId} (${agent.provider} ${agent.model})`);
  const mixed = scripted.length > 0 ? [texts.someScripted(scripted.map((a) => a.agentId).join(", "))] : [];
  return [texts.onModels(names.join(", ")), ...mixed];
}

/** Both streams, until the run is over. @returns its receipt */
async function follow({ api, story, screen, texts }, message) {
  const leave = new AbortController();
  const feed = await api.openLive(story.live, leave.signal);
  try {
    screen.heading(texts.happens);
    screen.event(0, `${texts.you} -> ${screen.paint("bold", INSTRUCTED)}: `, message);
    const receipt = await hearOut({ api, story, screen, texts }, message);
    await Promise.race([story.rootEnded, wait(FEED_BEHIND_MS, undefined, { ref: false })]);
    return receipt;
  } finally {
    leave.abort();
    await feed.ended;
  }
}

/** A run outlives its client's connection: without the stream it is asked for until it is over. */
async function hearOut({ api, story, screen, texts }, message) {
  try {
    for await (const event of api.chat(INSTRUCTED, message)) story.chat(event);
  } catch (error) {
    if (story.rootRunId() === null) throw error;
  }
  if (story.receipt() !== null) return story.receipt();
  if (story.rootRunId() === null) throw new Problem("The chat ended before it began. Start the demo again.");
  screen.paragraph(texts.lostStream);
  const { receipt, reply } = await waitForRun(api, story.rootRunId());
  screen.paragraph(reply);
  return receipt;
}

function printPlaces({ instance, screen, texts, rootRunId }) {
  screen.heading(texts.look);
  screen.line(`  ${texts.viewer} ${linkOf(instance)}`);
  screen.paragraph(texts.api);
  const paths = [
    `chains/${rootRunId}`,
    `runs/${rootRunId}`,
    `messages?a=${INSTRUCTED}`,
    "audit?outcome=denied",
  ];
  for (const path of [...paths, "agents"]) screen.line(`    GET ${instance.viewerUrl}/api/${path}`);
}
