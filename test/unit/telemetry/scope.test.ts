import { expect, it } from "vitest";
import { createScrubber } from "../../../core/scrub/index.ts";
import { maskedScope, type OpenSpan } from "../../../core/telemetry/scope.ts";

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
