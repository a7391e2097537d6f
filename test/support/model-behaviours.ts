/**
 * The model server for tests that run beside it: what a model does is told by its name, so that many
 * agents share one server. It is a tracing backend and Telegram too, see otlp-collector.ts and telegram-keeper.ts.
 * - `fault/<name>`: always that fault of model-faults.ts
 * - `once/<name>/<key>`: that fault for the first request, then good answers
 * - `held/<key>`: answers only once somebody has fetched `/v1/release/<key>`
 * - `cut-write/<key>`: first a whole FileRW call in an answer cut by the output limit, then a good answer
 * - `leak/<n>`: an error whose message has so many characters before a secret of the environment
 */
import { faultByModel } from "./model-faults.ts";
import {
  answer,
  json,
  type ModelHandler,
  type ModelServer,
  type ReceivedRequest,
  startModelServer,
} from "./model-server.ts";
import { withCollector } from "./otlp-collector.ts";
import { withTelegram } from "./telegram-keeper.ts";
import { TEST_SECRETS } from "./test-secrets.ts";

const GOOD_TEXT = "All is well.";
const CUT_WRITE = {
  id: "call_cut",
  name: "FileRW",
  arguments: JSON.stringify({ action: "write", path: "cut.txt", content: "half a" }),
};

const good: ModelHandler = (request) => answer(request, { text: GOOD_TEXT });

export function startBehavingServer(): Promise<ModelServer> {
  const holds = new Map<string, Hold>();
  const holdOf = (key: string) => {
    const hold = holds.get(key) ?? newHold();
    holds.set(key, hold);
    return hold;
  };
  const seen = new Map<string, number>();
  return startModelServer(
    withTelegram(
      withCollector(async (request, earlier) => {
        const released = /\/release\/(.+)$/.exec(request.path)?.[1];
        if (released !== undefined) {
          holdOf(released).release();
          return json({ released });
        }
        const model = String(request.body?.model ?? "");
        const before = seen.get(model) ?? 0;
        seen.set(model, before + 1);
        const held = /^held\/(.+)$/.exec(model)?.[1];
        if (held !== undefined) await holdOf(held).released;
        return behaviour(model, before)(request, earlier);
      }),
    ),
  );
}

function behaviour(model: string, before: number): ModelHandler {
  const once = /^once\/([^/]+)\//.exec(model)?.[1];
  if (once !== undefined && before === 0)
    return (request, earlier) => faultByModel(good)(named(request, `fault/${once}`), earlier);
  if (model.startsWith("cut-write/") && before === 0)
    return (request) => answer(request, { calls: [CUT_WRITE], finishReason: "length" });
  const padding = /^leak\/(\d+)$/.exec(model)?.[1];
  if (padding !== undefined) return () => json({ error: { message: leakyMessage(Number(padding)) } }, 401);
  return faultByModel(good);
}

function leakyMessage(padding: number): string {
  return `${"x".repeat(padding)} ${TEST_SECRETS.TEST_SECRET_A}`;
}

function named(request: ReceivedRequest, model: string): ReceivedRequest {
  return { ...request, body: { ...request.body, model } };
}

interface Hold {
  readonly released: Promise<void>;
  readonly release: () => void;
}

function newHold(): Hold {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { released, release };
}
