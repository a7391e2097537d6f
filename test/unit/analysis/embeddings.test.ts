import { describe, expect, it } from "vitest";
import { instanceSchema } from "../../../core/config/instance.ts";
import { openAiEmbeddings, workersAiEmbeddings } from "../../../core/model/embeddings.ts";

const signal = AbortSignal.timeout(30_000);

describe("an embedding model", () => {
  it("behind a compatible API is asked with its key, and answers in the order of the texts", async () => {
    const asked: { url: string; init: RequestInit }[] = [];
    const model = openAiEmbeddings({
      baseUrl: "https://models.example/v1/",
      apiKey: "key",
      model: "small",
      fetch: async (url, init) => {
        asked.push({ url, init });
        return Response.json({
          data: [
            { index: 1, embedding: [2] },
            { index: 0, embedding: [1] },
          ],
        });
      },
    });
    expect(await model(["a", "b"], signal)).toEqual([[1], [2]]);
    expect(asked[0]?.url).toBe("https://models.example/v1/embeddings");
    expect(new Headers(asked[0]?.init.headers).get("Authorization")).toBe("Bearer key");
  });

  it.each([
    ["an error", () => new Response("no", { status: 500 })],
    ["too few vectors", () => Response.json({ data: [{ index: 0, embedding: [1] }] })],
    ["something else", () => Response.json({ ok: true })],
  ])("is not believed when it answers %s", async (_, answer) => {
    const model = openAiEmbeddings({
      baseUrl: "https://models.example/v1",
      apiKey: null,
      model: "small",
      fetch: async () => answer(),
    });
    await expect(model(["a", "b"], signal)).rejects.toThrow();
  });

  it("of Workers AI is asked with all texts at once", async () => {
    const model = workersAiEmbeddings(
      { run: async (name, inputs) => ({ data: name === "@cf/small" ? [[1], [2]] : [], shape: [inputs] }) },
      "@cf/small",
    );
    expect(await model(["a", "b"], signal)).toEqual([[1], [2]]);
  });

  it("is named in the instance's config, its key by reference only", () => {
    const parse = (embedding: unknown) =>
      instanceSchema.safeParse({ id: "test", analysis: { embedding } }).success;
    expect(parse({ provider: "workers-ai", name: "@cf/baai/bge-m3" })).toBe(true);
    expect(parse({ provider: "openai", name: "small", apiKey: { $secret: "KEY" } })).toBe(true);
    expect(parse({ provider: "openai", name: "small", apiKey: "sk-literal" })).toBe(false);
    expect(parse({ provider: "openai", name: "small", baseUrl: "ftp://x" })).toBe(false);
    expect(parse({ provider: "openai", name: "small", more: 1 })).toBe(false);
  });
});
