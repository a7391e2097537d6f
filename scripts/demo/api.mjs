import { setTimeout as wait } from "node:timers/promises";
import { Problem } from "../instance/problem.mjs";
import { readServerEvents } from "./server-events.mjs";

const RECONNECT_MS = 500;

/** The instance's HTTP API. @param instance as `startInstance` answers it */
export function apiOf({ workerUrl, token }) {
  const headers = { authorization: `Bearer ${token}` };

  async function request(path, init = {}) {
    const response = await fetch(`${workerUrl}${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
    });
    if (response.ok) return response;
    throw new Problem(`${path} answered ${response.status}: ${await errorOf(response)}`);
  }

  return {
    get: async (path) => (await request(path)).json(),
    post: async (path, body) => (await request(path, jsonBody(body))).json(),
    /** The events of one chat. */
    async *chat(agentId, message) {
      const init = jsonBody({ message }, { accept: "text/event-stream" });
      const response = await request(`/api/agents/${agentId}/chat`, init);
      yield* readServerEvents(response.body);
    },
    /**
     * Hands on what happens in the instance until the signal fires; resolves with a promise of that end once
     * the feed is open. A broken connection is taken up where it was.
     */
    openLive: async (onEvent, signal) => {
      const connect = (last) =>
        request("/api/live", { signal, headers: last === undefined ? {} : { "last-event-id": last } });
      const first = await connect(undefined);
      return { ended: hearLive({ connect, first, onEvent, signal }) };
    },
  };
}

function jsonBody(body, headers = {}) {
  return {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  };
}

async function errorOf(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error.message;
  } catch {
    return text.slice(0, 200);
  }
}

async function hearLive({ connect, first, onEvent, signal }) {
  let response = first;
  let last;
  while (!signal.aborted) {
    try {
      response ??= await connect(last);
      for await (const { id, data } of readServerEvents(response.body)) {
        last = id ?? last;
        onEvent(data);
      }
    } catch {
      // The stream broke, or the demo is over: the loop's condition tells.
    }
    response = undefined;
    await wait(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}
