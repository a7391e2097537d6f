import { expect, it } from "vitest";
import { toolIssues } from "../../core/config/tool-check.ts";
import { createRegistry } from "../../core/registry.ts";
import { createMcp } from "./index.ts";
import { functionName } from "./names.ts";

const registry = createRegistry([createMcp({ mask: (text) => text, nonce: () => "nonce" })]);
const server = { name: "shop", url: "https://shop.test/mcp", tools: ["stock", "order"] };
const faults = (servers: readonly unknown[], rest: Record<string, unknown> = {}) =>
  toolIssues({ Mcp: { servers, ...rest } }, registry, ["tools"]).map(({ path }) => path);

it("takes servers with the names of the tools that may be called", () => {
  const token = { $secret: "SHOP_TOKEN" };
  expect(faults([server, { ...server, name: "other", token, headers: { "X-Key": token } }])).toEqual([]);
  expect(faults([{ name: "shop", url: "https://shop.test/mcp" }])).toEqual([]);
});

it.each([
  ["no server", [], "tools.Mcp.servers"],
  ["a name that is none", [{ ...server, name: "my shop" }], "tools.Mcp.servers[0].name"],
  ["two of one name", [server, server], "tools.Mcp.servers[1].name"],
  ["another kind of address", [{ ...server, url: "file:///etc/passwd" }], "tools.Mcp.servers[0].url"],
  ["a literal token", [{ ...server, token: "abc" }], "tools.Mcp.servers[0].token"],
  [
    "a literal in a header",
    [{ ...server, headers: { "X-Key": "abc" } }],
    "tools.Mcp.servers[0].headers.X-Key",
  ],
  [
    "a header of the protocol's",
    [{ ...server, headers: { "Mcp-Session-Id": { $secret: "A" } } }],
    "tools.Mcp.servers[0].headers",
  ],
  [
    "a header of this instance's",
    [{ ...server, headers: { "x-parley-instance": { $secret: "A" } } }],
    "tools.Mcp.servers[0].headers",
  ],
  ["a login in the address", [{ ...server, url: "https://me:pw@shop.test/mcp" }], "tools.Mcp.servers[0].url"],
  [
    "a key in the address",
    [{ ...server, url: "https://shop.test/mcp?api_key=a" }],
    "tools.Mcp.servers[0].url",
  ],
  [
    "two credentials",
    [{ ...server, token: { $secret: "A" }, headers: { Authorization: { $secret: "B" } } }],
    "tools.Mcp.servers[0].headers",
  ],
  [
    "something repeatable that is not allowed",
    [{ ...server, repeatable: ["delete"] }],
    "tools.Mcp.servers[0].repeatable[0]",
  ],
  ["an unknown key", [{ ...server, tool: [] }], "tools.Mcp.servers[0].tool"],
])("refuses %s, with its path", (_, servers, path) => {
  expect(faults(servers)).toContain(path);
});

it("lets a person be asked for single tools of a server", () => {
  expect(faults([server], { approve: ["Mcp_shop_order"] })).toEqual([]);
  expect(faults([server], { approve: ["order"] })).toEqual(["tools.Mcp.approve[0]"]);
});

it("makes names that every provider takes, and that can be told apart", () => {
  const names = ["stock", "stock.of", "stock/of", "stock of", "x".repeat(120), `${"x".repeat(119)}y`].map(
    (tool) => functionName("shop", tool),
  );
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^Mcp_shop_[A-Za-z0-9_-]{1,55}$/);
  expect(names[0]).toBe("Mcp_shop_stock");
});
