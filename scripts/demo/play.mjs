import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "../instance/paths.mjs";
import { Problem } from "../instance/problem.mjs";
import { apiOf } from "./api.mjs";
import { waitForQuiet } from "./quiet.mjs";
import { readChain, waitForRun, withKeys } from "./record.mjs";
import { createStory } from "./story.mjs";
import { printSummary } from "./summary.mjs";
import { createTaskNews } from "./task-news.mjs";

/** Who gets the instruction. */
const INSTRUCTED = "assistant";
/** The feed may be a moment behind the chat's own stream. */
const FEED_BEHIND_MS = 5_000;

/**
 * Gives the team its instruction, shows what happens until the whole chain is quiet, and then what is on record.
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
  const told = { screen, texts, scripted, elapsed, agentId: INSTRUCTED };
  const story = createStory(told);
  const news = createTaskNews({ ...told, whenSilent: story.whenSilent }, api);
  story.onTask(news.task);
  const { receipt, open } = await follow({ ...told, api, story, news }, readInstruction(language));
  const files = await withKeys(api, story.files());
  const record = await readChain(api, receipt.rootRunId);
  printSummary({ screen, texts, files, stateDir: instance.stateDir, ...record });
  printPlaces({ instance, screen, texts, rootRunId: receipt.rootRunId });
  if (receipt.status !== "completed") return texts.runEnded(texts.status(receipt.status), receipt.error);
  if (open.length > 0) return texts.stillOpen(open.map(({ title }) => title).join(", "));
  return files.length === 0 ? texts.noFile : null;
}

export const linkOf = ({ viewerUrl, token }) => `${viewerUrl}/#token=${encodeURIComponent(token)}`;

/** @returns the instruction's text, and what the demo answers in the place of a person */
function readInstruction(language) {
  const texts = JSON.parse(readFileSync(join(root, "demo", "instruction.json"), "utf8"));
  return { instruction: texts[language], answer: texts.person[language] };
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

/** Both streams, until the chain is quiet. @returns the receipt of the instructed run, and the tasks left open */
async function follow(scene, { instruction, answer }) {
  const { api, story, news, screen, texts, elapsed } = scene;
  const leave = new AbortController();
  const feed = await api.openLive(story.live, leave.signal);
  try {
    screen.heading(texts.happens);
    screen.event(0, `${texts.you} -> ${screen.paint("bold", INSTRUCTED)}: `, instruction);
    const receipt = await hearOut(scene, instruction);
    await Promise.race([story.rootEnded, wait(FEED_BEHIND_MS, undefined, { ref: false })]);
    const { agentId, status, durationMs } = receipt;
    screen.event(elapsed(), "", texts.ended(agentId, texts.status(status), texts.duration(durationMs)));
    const open = await followTasks(scene, { rootRunId: receipt.rootRunId, answer });
    await news.settled();
    return { receipt, open };
  } finally {
    leave.abort();
    await feed.ended;
  }
}

/** What was given away goes on after the instructed run. @returns the tasks that did not come to an end */
function followTasks({ api, news, screen, texts, elapsed }, { rootRunId, answer }) {
  return waitForQuiet({
    read: async () => ({
      chain: await api.get(`/api/chains/${rootRunId}`),
      agents: await api.get("/api/agents"),
    }),
    onReading: ({ tasks, runs }) => {
      for (const task of tasks) news.task(task);
      for (const run of runs) if (run.agentId === INSTRUCTED && run.trigger === "task") news.run(run);
    },
    answer: async ({ taskId, title }) => {
      await news.settled();
      const path = `/api/tasks/${taskId}/complete`;
      screen.event(elapsed(), "", texts.person(title, path));
      // Somebody at the viewer may have been quicker; the next reading tells.
      await api.post(path, { result: answer }).catch(() => undefined);
    },
  });
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
  story.silence();
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
    "tasks",
    "audit?outcome=denied",
  ];
  for (const path of [...paths, "agents"]) screen.line(`    GET ${instance.viewerUrl}/api/${path}`);
}
