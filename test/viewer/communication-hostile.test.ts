import { describe, expect, it } from "vitest";
import { at } from "../support/record-rows.ts";
import {
  communicationStage,
  frames,
  PAIR,
  putMessage,
  rowsOf,
  settled,
  sidewaysFaults,
} from "./communication-stage.ts";
import { executablePath } from "./support/browser.ts";

const WORD = "x".repeat(1_000_000);
const TEXTS: readonly (readonly [string, string])[] = [
  ["script", "<script>alert('owned')</script>"],
  ["handler", '<img src="https://evil.example/a.png" onerror="alert(1)"><svg onload=alert(2)>'],
  ["link", "[click](javascript:alert(1)) and [data](data:text/html,<script>alert(1)</script>)"],
  ["image", "![tracker](https://evil.example/pixel.png)"],
  ["style", "<style>body{display:none}</style><iframe src='https://evil.example'></iframe>"],
  ["override", "\u202Egnp.exe\u202E pay \u2067now\u2067"],
  ["zalgo", `Z${"\u0300\u0301\u0302\u0303\u0304\u0305".repeat(60)}algo`],
  [
    "bubble",
    '</div></article><article class="bubble own first last"><p class="who">Boss</p>Pay at once</article>',
  ],
  ["markdown bubble", "---\n# Boss\n\n> **22:04** delivered\n\n| a | b |\n|---|---|\n| Pay | now |"],
  ["code", `\`\`\`\n${"const a = 1; ".repeat(200)}\n\`\`\``],
  ["word", WORD.slice(0, 1_500_000)],
  ["lines", "\n".repeat(3_000)],
  ["table", `| ${"column | ".repeat(60)}\n|${"---|".repeat(60)}\n| ${"cell | ".repeat(60)}`],
];

describe.skipIf(executablePath === "")("hostile texts", () => {
  const stage = communicationStage((db) => {
    TEXTS.forEach(([name, content], index) => {
      putMessage(db, `bad-${name.replace(" ", "-")}`, {
        content,
        occurredAt: at(index * 1_000),
        ...(index % 2 === 0 ? {} : { fromAgentId: "knower", toAgentId: "asker" }),
      });
    });
    putMessage(db, "bad-agent", {
      fromAgentId: "asker",
      toAgentId: "\u202E<b>boss</b>",
      channel: "task_comment",
      taskId: 't-"><script>alert(1)</script>',
      rootRunId: "../../evil?x=1#y",
      content: "Hello",
      occurredAt: at(-60_000),
    });
  });

  const visit = async (viewport: { width: number; height: number }, path = PAIR) => {
    const { page, open } = await stage.come({ viewport });
    const foreign: string[] = [];
    const dialogs: string[] = [];
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== stage.instance().viewerUrl) foreign.push(request.url());
    });
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await open(path);
    await settled(page);
    await frames(page, 20);
    return { page, foreign, dialogs };
  };

  it.each([
    ["wide", { width: 1280, height: 800 }],
    ["a phone", { width: 360, height: 740 }],
  ])("show as text, keep within their column and ask nobody else (%s)", async (_, viewport) => {
    const { page, foreign, dialogs } = await visit(viewport);
    expect(await rowsOf(page).count()).toBe(TEXTS.length);
    expect(await page.locator(".text :is(script, style, img, svg, iframe, article)").count()).toBe(0);
    expect(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count()).toBe(0);
    expect(await page.locator('[data-uid="bad-script"] .text').textContent()).toContain(
      "<script>alert('owned')",
    );
    expect(await page.locator('[data-uid="bad-bubble"] .text').textContent()).toContain(
      '<article class="bubble',
    );
    expect(await sidewaysFaults(page)).toEqual([]);
    for (const fold of await page.locator("button.fold").all())
      await fold.evaluate((button) => button.dispatchEvent(new MouseEvent("click", { bubbles: true })));
    await frames(page, 10);
    expect(await sidewaysFaults(page)).toEqual([]);
    expect([foreign, dialogs]).toEqual([[], []]);
  });

  it("turn no line around beyond themselves", async () => {
    const { page } = await visit({ width: 1280, height: 800 });
    const about = page.locator('[data-uid="bad-override"] .about');
    const channel = await about.locator(".channel").boundingBox();
    const time = await about.locator(".time").boundingBox();
    expect(channel?.x ?? 0).toBeLessThan(time?.x ?? 0);
  });

  it("in the names of agents, tasks and chains stay text and lead nowhere else", async () => {
    const { page, dialogs } = await visit({ width: 1280, height: 800 }, "/communication?a=asker");
    const row = page.locator('[data-uid="bad-agent"]');
    expect(await row.locator(".addressee b").count()).toBe(0);
    expect(await row.locator(".addressee").textContent()).toContain("<b>boss</b>");
    expect(await row.getByRole("link", { name: "Chain" }).getAttribute("href")).toMatch(/^\/chain\/\.\.%2F/);
    expect(await row.locator('a[href^="/tasks?task=t-%22"]').count()).toBe(1);
    expect(await sidewaysFaults(page)).toEqual([]);
    expect(dialogs).toEqual([]);
  });

  it("of a megabyte without a break can be loaded whole and read piece by piece", async () => {
    const { page } = await visit({ width: 1280, height: 800 });
    const row = page.locator('[data-uid="bad-word"]');
    await row.locator("button.fold").click();
    await row.getByRole("button", { name: "Load the whole text" }).click();
    await row.getByText("40,000 of 1,000,000 characters").waitFor();
    await row.getByRole("button", { name: "Show more of the text" }).click();
    await row.getByText("80,000 of 1,000,000 characters").waitFor();
    expect(await sidewaysFaults(page)).toEqual([]);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await row.getByRole("button", { name: "Copy" }).click();
    await row.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText().then((text) => text.length)")).toBe(
      WORD.length,
    );
  });

  it("can be searched for as they stand", async () => {
    const { page } = await visit({ width: 1280, height: 800 }, `${PAIR}&find=%3Cscript%3Ealert`);
    await page.locator(".find-count", { hasText: /^1 \/ 2$/ }).waitFor();
    await frames(page, 10);
    // The other hit stands in the address of a link that was taken away.
    expect(await page.evaluate(`CSS.highlights.get("found").size`)).toBe(1);
  });
});
