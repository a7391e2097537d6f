import { expect, it } from "vitest";
import { createScrubber } from "../../../core/scrub/index.ts";
import { maskedScope, type OpenSpan, whileTraced } from "../../../core/telemetry/scope.ts";

const secret = "very-secret-value-1234";
const { scrub } = createScrubber(new Map([["KEY", secret]]));

it("L5 the runtime's own tracing gets texts masked and then cut, those of a span's end too", async () => {
  const seen: unknown[] = [];
  const span = maskedScope((opened: OpenSpan, work) => {
    seen.push(opened);
    return work((more) => seen.push(more));
  }, scrub);
  // A secret across the limit: cut first, its beginning would stand there.
  const long = `${"x".repeat(190)} ${secret}`;
  const opened = {
    name: `execute_tool ${secret}`,
    attributes: { "gen_ai.tool.call.id": long, "parley.step": 1 },
  };
  expect(
    await span(opened, async (add) => {
      add({ "error.type": secret, "parley.reason": null });
      return 7;
    }),
  ).toBe(7);
  expect(seen).toEqual([
    {
      name: "execute_tool [secret:KEY]",
      attributes: { "gen_ai.tool.call.id": `${"x".repeat(190)} [secret:K`, "parley.step": 1 },
    },
    { "error.type": "[secret:KEY]", "parley.reason": null },
  ]);
});

it("opens no span and masks nothing while nobody records", async () => {
  const opened: string[] = [];
  let isTraced = false;
  const span = whileTraced(
    (given, work) => {
      opened.push(given.name);
      return work(() => undefined);
    },
    () => isTraced,
  );
  expect(await span({ name: "unseen", attributes: {} }, async () => 1)).toBe(1);
  isTraced = true;
  expect(await span({ name: "seen", attributes: {} }, async () => 2)).toBe(2);
  expect(opened).toEqual(["seen"]);
});
