import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

it("answers", async () => {
  const response = await exports.default.fetch("http://parley/api/health");
  expect(response.status).toBe(200);
});
