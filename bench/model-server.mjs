// A model server without latency, as a process of its own. Each answer goes out at once, in the pieces of a
// usual stream. The path's first part names who asks: calls and bytes are counted by it.
import { createServer } from "node:http";
import { sceneOf } from "./scenes.mjs";

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const counts = {};
/** The latest request of each model. */
const latest = {};

createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => handle(request.url, Buffer.concat(parts), response));
}).listen(0, "127.0.0.1", function () {
  process.send({ port: this.address().port });
});
process.once("disconnect", () => process.exit(0));

function handle(url, bytes, response) {
  if (url === "/counts") return sendJson(response, counts);
  if (url === "/latest") return sendJson(response, latest);
  const body = JSON.parse(bytes.toString("utf8"));
  const who = url.split("/")[1];
  counts[who] ??= { calls: 0, bytes: 0 };
  counts[who].calls += 1;
  counts[who].bytes += bytes.length;
  latest[body.model] = body;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(answerTo(body));
}

function sendJson(response, value) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function answerTo({ model, messages }) {
  const { call, say } = sceneOf(model);
  const calls = call !== null && messages.at(-1).role !== "tool";
  const deltas = calls ? callDeltas(call, messages.length) : textDeltas(say);
  const chunks = [{ role: "assistant", content: "" }, ...deltas].map((delta) => chunkOf(delta, null));
  const end = [chunkOf({}, calls ? "tool_calls" : "stop"), { id: "chatcmpl-1", choices: [], usage: USAGE }];
  const data = [...chunks, ...end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return `${data.join("")}data: [DONE]\n\n`;
}

const chunkOf = (delta, finish_reason) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});

const textDeltas = (text) => text.match(/\S+\s*/g).map((content) => ({ content }));

/** The id follows from the history's length: the same history gets the same id, whoever sends it. */
function callDeltas(call, length) {
  const text = JSON.stringify(call.arguments);
  const half = Math.ceil(text.length / 2);
  const head = { index: 0, id: `call_${String(length).padStart(6, "0")}`, type: "function" };
  return [
    { tool_calls: [{ ...head, function: { name: call.name, arguments: text.slice(0, half) } }] },
    { tool_calls: [{ index: 0, function: { arguments: text.slice(half) } }] },
  ];
}
