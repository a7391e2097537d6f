import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createScrubber } from "../../core/scrub/index.ts";
import type { ToolResult } from "../../core/tool.ts";
import { MemoryFiles } from "../../test/support/memory-files.ts";
import { TEST_SECRETS } from "../../test/support/test-secrets.ts";
import { toolContext } from "../../test/support/tool-context.ts";
import { MAX_FILE_BYTES } from "./append.ts";
import { createFileRW } from "./index.ts";
import { MAX_READ_BYTES } from "./read.ts";

const { scrub } = createScrubber(new Map(Object.entries(TEST_SECRETS)));
const bytesIn = (text: string) => new TextEncoder().encode(text).length;
const keyOf = (path: string) => `test/agents/reader/${path}`;

interface PageRequest {
  readonly path?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** An agent that reads from these files, with a count of the texts that were masked for it. */
function readerOf(files: MemoryFiles) {
  const counts = { masked: 0 };
  const tool = createFileRW(files, (text) => {
    counts.masked += 1;
    return scrub(text);
  });
  const read = async ({ path = "a.txt", ...rest }: PageRequest): Promise<ToolResult> => {
    const prepared = tool.functions[0]?.prepare({ action: "read", path, ...rest });
    if (!prepared?.ok) throw new Error("the call was not accepted");
    return prepared.execute(toolContext({ toolConfig: { rootPath: "reader" } }));
  };
  return { read, counts };
}

function readerOfText(text: string) {
  const files = new MemoryFiles();
  files.set(keyOf("a.txt"), text);
  return { ...readerOf(files), files };
}

const pageSchema = z.object({
  content: z.string(),
  size: z.number(),
  offset: z.number(),
  nextOffset: z.number().nullable(),
});

function pageOf(result: ToolResult) {
  if (!result.ok) throw new Error(result.message);
  return pageSchema.parse(JSON.parse(result.content));
}

const codeOf = (result: ToolResult) => (result.ok ? "ok" : result.message.split(":")[0]);

/** All pages of a file, from nextOffset to nextOffset. */
async function walk(read: (request: PageRequest) => Promise<ToolResult>, limit: number) {
  const pages: z.infer<typeof pageSchema>[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page = pageOf(await read({ offset, limit }));
    expect(page.offset).toBe(offset);
    if (page.nextOffset !== null) expect(page.nextOffset - page.offset).toBe(bytesIn(page.content));
    pages.push(page);
    offset = page.nextOffset;
  }
  return pages;
}

/** A secret as it may stand in a file, and every piece of that by which it would be known. */
interface Spelling {
  readonly text: string;
  readonly fragments: readonly string[];
}

const windows = (text: string, size: number) =>
  Array.from({ length: text.length - size + 1 }, (_value, at) => text.slice(at, at + size));

const raw = (secret: string): Spelling => ({ text: secret, fragments: windows(secret, 5) });

/** Base64 of the secret after so many other characters; seven of its characters tell five of the secret's. */
function base64(secret: string, before: number): Spelling {
  const text = btoa(`${"k".repeat(before)}${secret}k`);
  const [start, end] = [Math.ceil((before * 4) / 3), Math.floor(((before + secret.length) * 4) / 3)];
  return { text, fragments: windows(text.slice(start, end), 7) };
}

const spelling = fc
  .constantFrom(...Object.values(TEST_SECRETS))
  .chain((secret) => fc.constantFrom(raw(secret), ...[0, 1, 2].map((before) => base64(secret, before))));
/** Shares no character with a secret, so that each fragment in a page is one of a secret's. */
const filler = fc.string({
  unit: fc.constantFrom("\n", "#", "\u00fc", "\u20ac", "\u{1f600}"),
  maxLength: 30,
});
const text = fc.record({ before: filler, spelling, after: filler });

const leaksIn = (content: string, { fragments }: Spelling) =>
  fragments.filter((fragment) => content.includes(fragment));

describe("L5 a file that holds a secret", () => {
  it("L5 shows no piece of it on pages of any size, and each byte of the masked text once", async () => {
    const limit = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(text, limit, async ({ before, spelling, after }, limit) => {
        const whole = before + spelling.text + after;
        const pages = await walk(readerOfText(whole).read, limit);
        const joined = pages.map(({ content }) => content).join("");
        expect(joined).toBe(scrub(whole));
        expect(joined).toContain("[secret:TEST_SECRET_");
        expect(pages.every(({ size }) => size === bytesIn(joined))).toBe(true);
        expect(leaksIn(joined, spelling)).toEqual([]);
      }),
    );
  });

  it("L5 shows no piece of it from any offset, with any limit", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 5, max: 20 }), async (parts, limit) => {
        const { before, spelling, after } = parts;
        const { read } = readerOfText(before + spelling.text + after);
        const { size } = pageOf(await read({}));
        for (let offset = 0; offset <= size; offset += 1) {
          const { content } = pageOf(await read({ offset, limit }));
          expect(leaksIn(content, spelling)).toEqual([]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each(Object.entries(TEST_SECRETS))(
    "L5 shows no piece of %s at a full page's border",
    async (_, secret) => {
      for (const { text, fragments } of [raw(secret), base64(secret, 1)]) {
        for (let shift = 0; shift <= text.length; shift += 1) {
          const { read } = readerOfText(`${"#".repeat(MAX_READ_BYTES - shift)}${text}##`);
          const [first, second] = await walk(read, MAX_READ_BYTES);
          expect(leaksIn(`${first?.content}${second?.content}`, { text, fragments })).toEqual([]);
        }
      }
    },
  );

  it("L5 is searched for these pieces in a way that finds them", () => {
    for (const secret of Object.values(TEST_SECRETS)) {
      for (const spelled of [raw(secret), base64(secret, 0), base64(secret, 1), base64(secret, 2)]) {
        expect(leaksIn(`##${spelled.text.slice(3, 15)}##`, spelled)).not.toEqual([]);
        expect(scrub(spelled.text)).not.toBe(spelled.text);
      }
    }
  });

  it("stays in the bucket as it was written", async () => {
    const { read, files } = readerOfText(TEST_SECRETS.TEST_SECRET_C);
    await read({});
    expect((await files.head(keyOf("a.txt")))?.size).toBe(TEST_SECRETS.TEST_SECRET_C.length);
  });
});

describe("the masked text of a file", () => {
  it("is made once for all pages of a large file, also when they are asked for side by side", async () => {
    const { read, counts, files } = readerOfText("one line\n".repeat(10_000));
    const pages = await walk(read, MAX_READ_BYTES);
    expect(pages.map(({ content }) => content).join("")).toBe("one line\n".repeat(10_000));
    expect([counts.masked, files.gets]).toEqual([1, 1]);
    files.set(keyOf("a.txt"), "another line\n".repeat(10_000));
    await Promise.all([0, 16_000, 32_000].map((offset) => read({ offset })));
    expect(counts.masked).toBe(2);
  });

  it("follows the file when that changes between two pages", async () => {
    const { read, files } = readerOfText("before");
    expect(pageOf(await read({ limit: 3 })).content).toBe("bef");
    files.set(keyOf("a.txt"), "behind");
    expect(pageOf(await read({ offset: 3 })).content).toBe("ind");
  });

  it("is not made of a file that changes while it is read", async () => {
    const { read, files, counts } = readerOfText("before");
    files.beforeGet = () => files.set(keyOf("a.txt"), "after");
    expect([codeOf(await read({})), counts.masked]).toEqual(["changed", 0]);
    files.beforeGet = () => {};
    expect(pageOf(await read({})).content).toBe("after");
  });

  it("is forgotten when others need the room", async () => {
    const files = new MemoryFiles();
    for (const path of ["a.txt", "b.txt"]) files.set(keyOf(path), "#".repeat(MAX_FILE_BYTES));
    const { read, counts } = readerOf(files);
    for (const path of ["a.txt", "a.txt", "b.txt", "b.txt"]) await read({ path });
    expect(counts.masked).toBe(2);
    await read({ path: "a.txt" });
    expect(counts.masked).toBe(3);
  });

  it("is refused where any of the file is no text, before the part that is asked for or behind", async () => {
    const { read, files, counts } = readerOfText("");
    const bytes = new Uint8Array(3 * MAX_READ_BYTES).fill(0x61);
    for (const at of [0, bytes.length - 1]) {
      files.set(keyOf("a.txt"), bytes.with(at, 0xff));
      expect(codeOf(await read({ offset: MAX_READ_BYTES, limit: 10 }))).toBe("not_text");
    }
    expect(counts.masked).toBe(0);
  });

  it("is refused for a file over the cap, and the file is not fetched", async () => {
    const { read, files } = readerOfText("#".repeat(MAX_FILE_BYTES + 1));
    expect([codeOf(await read({})), files.gets]).toEqual(["too_large", 0]);
  });
});
