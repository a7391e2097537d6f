/**
 * Tells what happens in one chain, line by line: messages from the live feed, what the instructed agent says
 * and which tools it calls from its chat's own stream. Asks show as messages and tasks by their histories, so they are
 * left out as calls.
 */
import { readable } from "./screen.mjs";
import { createSpeech } from "./speech.mjs";

const TOLD_ELSEWHERE = ["ask_agent", "task_create"];
const SHOWN_RESULT = 160;
const SHOWN_ARGUMENT = 60;

/**
 * @param context `screen`, `texts`, `agentId` (who got the instruction), `scripted` (a set of agents),
 *   `elapsed()` (seconds since the beginning)
 * @returns `live(event)` and `chat(event)` for the events of both streams; `onTask(hear)`, who hears of tasks;
 *   `whenSilent(print)`; `silence()`, when the chat's stream is gone; `rootRunId()`; `files()`, what was written; `receipt()`, the run's once it is over;
 *   `rootEnded`, a promise for when the feed knows it too
 */
export function createStory(context) {
  const state = {
    context,
    root: null,
    early: [],
    held: [],
    calls: new Map(),
    files: new Map(),
    receipt: null,
  };
  state.hearTask = () => undefined;
  state.speech = createSpeech(context, tagged(context, context.agentId));
  const rootEnded = new Promise((settle) => {
    state.endedInFeed = settle;
  });
  return {
    live: (event) => hearLive(state, event),
    chat: (event) => hearChat(state, event),
    onTask: (hear) => {
      state.hearTask = hear;
    },
    whenSilent: (print) => whenSilent(state, print),
    silence: () => endSpeech(state),
    rootRunId: () => state.root,
    files: () => [...state.files.values()],
    receipt: () => state.receipt,
    rootEnded,
  };
}

/** Until the chat's stream has named the chain, one cannot know what of the feed belongs to it. */
function hearLive(state, event) {
  if (state.root === null) state.early.push(event);
  else showLive(state, event);
}

function showLive(state, event) {
  const { screen, texts, elapsed } = state.context;
  const subject = event.message ?? event.notice ?? event.task ?? event;
  if (subject.rootRunId !== state.root) return;
  if (event.type === "message" && !isToldByTask(event.message)) {
    // Who asks has finished speaking, whichever stream tells it first.
    if (event.message.fromAgentId === state.context.agentId) endSpeech(state);
    whenSilent(state, () => showMessage(state.context, event.message));
  }
  if (event.type === "notice")
    whenSilent(state, () => screen.event(elapsed(), screen.paint("yellow", texts.notice), event.notice.text));
  if (event.type === "task") state.hearTask(event.task);
  if (event.type === "run" && event.state === "ended" && event.runId === state.root) state.endedInFeed();
}

/** A refused task has no history. */
const isToldByTask = ({ channel, status }) => channel.startsWith("task") && status === "delivered";

/** Others' lines wait until the sentence is over. */
function whenSilent(state, print) {
  if (state.speech.speaking()) state.held.push(print);
  else print();
}

function endSpeech(state) {
  state.speech.end();
  for (const print of state.held.splice(0)) print();
}

function showMessage({ screen, texts, scripted, elapsed }, message) {
  const { fromAgentId: from, toAgentId: to, channel, direction, status, content } = message;
  const trouble = texts.outcome[status];
  const who = { from: screen.paint("bold", from), to: screen.paint("bold", to) };
  if (trouble !== undefined && (direction === "response" || channel !== "ask")) {
    const between = direction === "response" ? `${who.to} <- ${who.from}` : `${who.from} -> ${who.to}`;
    const lead = `${screen.paint(status === "denied" ? "red" : "yellow", trouble)} ${between}: `;
    return screen.event(elapsed(), lead, content);
  }
  const said = scripted.has(from) ? `${who.from} (${texts.scripted})` : who.from;
  const verb = direction === "request" ? texts.asks : texts.answers;
  const lead = channel === "ask" ? verb(said, who.to) : texts.tells(said, who.to, channel);
  screen.event(elapsed(), lead, content);
}

function hearChat(state, { name, data }) {
  if (name === "run") takeRoot(state, data.rootRunId);
  if (name === "delta") state.speech.say(data);
  if (name === "tool_call") showCall(state, data);
  if (name === "tool_result") showResult(state, data);
  if (name === "done") {
    endSpeech(state);
    state.receipt = data.receipt;
  }
}

function takeRoot(state, rootRunId) {
  if (state.root !== null) return;
  state.root = rootRunId;
  for (const event of state.early.splice(0)) showLive(state, event);
}

function showCall(state, call) {
  const { screen, texts, elapsed, agentId } = state.context;
  endSpeech(state);
  state.calls.set(`${call.step} ${call.callId}`, call);
  if (TOLD_ELSEWHERE.includes(call.name)) return;
  const lead = texts.calls(tagged(state.context, agentId), screen.paint("cyan", readable(call.name)));
  screen.event(elapsed(), lead, describeArguments(call.arguments, texts));
}

function showResult(state, { step, callId, outcome, content }) {
  const { screen, texts, elapsed, agentId } = state.context;
  const call = state.calls.get(`${step} ${callId}`);
  if (call === undefined || TOLD_ELSEWHERE.includes(call.name)) return;
  if (outcome === "ok") keepFile(state, call);
  const trouble = texts.outcome[outcome];
  const mark = trouble === undefined ? "" : `${screen.paint("yellow", trouble)} `;
  const lead = `${mark}${texts.returns(screen.paint("cyan", readable(call.name)), screen.paint("bold", agentId))}`;
  screen.event(elapsed(), lead, cut(content, SHOWN_RESULT));
}

/** An append leaves a text that only the file itself knows whole. */
function keepFile({ context, files }, { name, arguments: text }) {
  const { action, path, content } = parseObject(text) ?? {};
  if (name !== "FileRW" || !["write", "append"].includes(action)) return;
  files.set(path, { agentId: context.agentId, path, content: action === "write" ? content : null });
}

/** `write, path: reports/a.md, content: 1,668 characters` */
export function describeArguments(text, texts) {
  const values = parseObject(text);
  if (values === null) return cut(text, SHOWN_RESULT);
  return Object.entries(values)
    .map(([name, value]) => (name === "action" ? value : `${name}: ${describeValue(value, texts)}`))
    .join(", ");
}

function describeValue(value, texts) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > SHOWN_ARGUMENT ? texts.characters(texts.count(text.length)) : text.trim();
}

function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function tagged({ screen, texts, scripted }, agentId) {
  const name = screen.paint("bold", agentId);
  return scripted.has(agentId) ? `${name} (${texts.scripted})` : name;
}

function cut(text, length) {
  const line = text.replaceAll("\n", " ");
  return line.length > length ? `${line.slice(0, length)} ...` : line;
}
