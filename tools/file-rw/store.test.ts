import { expect, it } from "vitest";
import { abortable, type FileStore } from "./store.ts";

/** A store whose every operation is still under way. */
function slowStore(started: string[]): FileStore {
  const never = (name: string) => {
    started.push(name);
    return new Promise<never>(() => {});
  };
  return {
    head: () => never("head"),
    get: () => never("get"),
    put: () => never("put"),
    delete: () => never("delete"),
    list: () => never("list"),
  };
}

const operations: readonly (readonly [string, (store: FileStore) => Promise<unknown>])[] = [
  ["head", (store) => store.head("k")],
  ["get", (store) => store.get("k", { onlyIf: { etagMatches: "e" } })],
  ["put", (store) => store.put("k", new Uint8Array(), { httpMetadata: { contentType: "text/plain" } })],
  ["delete", (store) => store.delete("k")],
  ["list", (store) => store.list({ prefix: "k", delimiter: "/", limit: 1 })],
];

it.each(operations)(
  "an abort ends a %s that is under way, with the signal's reason",
  async (name, operate) => {
    const started: string[] = [];
    const controller = new AbortController();
    const running = operate(abortable(slowStore(started), controller.signal));
    controller.abort(new Error("cancelled by a person"));
    await expect(running).rejects.toThrow("cancelled by a person");
    expect(started).toEqual([name]);
  },
);

it.each(operations)("no %s starts after the abort", async (_name, operate) => {
  const started: string[] = [];
  await expect(operate(abortable(slowStore(started), AbortSignal.abort()))).rejects.toThrow();
  expect(started).toEqual([]);
});
