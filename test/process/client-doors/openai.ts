/** The official OpenAI client, unchanged, at a started instance. */
import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import { type Door, LONG } from "./door.ts";

const ask = (model: string, content = "How many?") => ({
  model,
  messages: [{ role: "user" as const, content }],
});

export const openAiClient = (door: Door) =>
  describe("/v1", () => {
    const clientWith = (apiKey: string) =>
      new OpenAI({ apiKey, baseURL: new URL("/v1", door.instance.viewerUrl).href });
    let client: OpenAI;
    beforeAll(() => {
      client = clientWith(door.instance.token);
    });

    describe("the official client of OpenAI", () => {
      it("lists the agents as models and finds one", async () => {
        const ids: string[] = [];
        for await (const model of client.models.list()) ids.push(model.id);
        expect(ids.sort()).toEqual(["broken", "clerk", "full", "liaison", "slow", "wordy"]);
        expect(await client.models.retrieve("clerk")).toMatchObject({ object: "model", owned_by: "parley" });
      });

      it("gets an answer with its usage", async () => {
        const { data, response } = await client.chat.completions.create(ask("clerk")).withResponse();
        expect(data.choices).toMatchObject([
          { finish_reason: "stop", message: { role: "assistant", content: "I heard: How many?" } },
        ]);
        expect(data.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
        expect(data.id).toBe(`chatcmpl-${response.headers.get("x-parley-run")}`);
      });

      it("leads a conversation that it keeps itself", async () => {
        const answer = await client.chat.completions.create({
          model: "clerk",
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "One?" },
            { role: "assistant", content: "One." },
            { role: "user", content: "And two?" },
          ],
        });
        const content = answer.choices[0]?.message.content ?? "";
        expect(content).toContain('{"role":"assistant","content":"One."}');
        expect(content.endsWith("And two?")).toBe(true);
      });

      it("reads a stream piece by piece, with the usage at its end", async () => {
        const stream = await client.chat.completions.create({
          ...ask("clerk"),
          stream: true,
          stream_options: { include_usage: true },
        });
        const pieces: string[] = [];
        let total: number | undefined;
        for await (const chunk of stream) {
          pieces.push(chunk.choices[0]?.delta.content ?? "");
          total = chunk.usage?.total_tokens ?? total;
        }
        expect(pieces.join("")).toBe("I heard: How many?");
        expect(pieces.filter((piece) => piece !== "").length).toBeGreaterThan(3);
        expect(total).toBe(18);
      });

      it("puts a stream together with its own helper", async () => {
        const runner = client.chat.completions.stream(ask("clerk"));
        expect((await runner.finalMessage()).content).toBe("I heard: How many?");
      });

      it("gets its own errors", async () => {
        const create = (model: string, rest: Record<string, unknown> = {}) =>
          client.chat.completions.create({ ...ask(model), ...rest }, { maxRetries: 0 });
        await expect(clientWith("wrong").models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
        await expect(create("ghost")).rejects.toMatchObject({
          status: 404,
          code: "model_not_found",
          param: "model",
        });
        await expect(create("ghost")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
        await expect(create("clerk", { n: 2 })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
        await expect(create("clerk", { n: 2 })).rejects.toMatchObject({ param: "n" });
        await expect(create("full")).rejects.toBeInstanceOf(OpenAI.RateLimitError);
        await expect(create("full", { stream: true })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
      });

      it("does not make a failed run again, although it tries failed requests again", async () => {
        let requests = 0;
        const counting = client.withOptions({
          fetch: (input, init) => {
            requests += 1;
            return fetch(input, init);
          },
        });
        const failed = counting.chat.completions.create(ask("broken"));
        await expect(failed).rejects.toBeInstanceOf(OpenAI.InternalServerError);
        await expect(failed).rejects.toMatchObject({ code: "auth" });
        expect(requests).toBe(1);
        const streamed = await client.chat.completions.create({ ...ask("broken"), stream: true });
        const reading = async () => {
          for await (const chunk of streamed) expect(chunk.choices[0]?.finish_reason ?? null).toBeNull();
        };
        await expect(reading()).rejects.toBeInstanceOf(OpenAI.APIError);
      });

      it("may leave: the run goes on to its end", async () => {
        const stream = await client.chat.completions.create({ ...ask("slow"), stream: true });
        let id = "";
        for await (const chunk of stream) {
          id = chunk.id;
          if ((chunk.choices[0]?.delta.content ?? "") !== "") break;
        }
        expect(stream.controller.signal.aborted).toBe(true);
        expect((await door.ended(id.replace("chatcmpl-", ""))).reply).toBe(LONG);
      });

      it("hears of its own abort as such", async () => {
        const abort = new AbortController();
        const waiting = client.chat.completions.create(ask("slow"), { signal: abort.signal });
        abort.abort();
        await expect(waiting).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
      });
    });
  });
