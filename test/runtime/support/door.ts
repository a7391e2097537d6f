/** The product's door as a value, so that a test can open it in an environment of its own. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { z } from "zod";
import type { Env } from "../../../durable-objects/env.ts";
import { createApp } from "../../../workers/app.ts";
import { TOKEN } from "./api.ts";
import { testRegistry } from "./test-registry.ts";

export const door = createApp(testRegistry);
/** Doors for others' clients: their shapes are theirs, and so are their tests. */
const OTHER_SHAPE = /^\/(v1|hooks)\//;
/** Method and path of every route of the API, with `x` for each parameter. */
export const ROUTES = door.routes
  .filter(({ method, path }) => method !== "ALL" && !OTHER_SHAPE.test(path))
  .map(({ method, path }): [string, string] => [method, path.replace(/:\w+/g, "x")]);
export const CLOSED = ROUTES.filter(([, path]) => path !== "/api/health");

const errorShape = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    issues: z.array(z.strictObject({ path: z.string(), message: z.string().min(1) })).optional(),
  }),
});

/** The error of an answer in the one shape, after a look at what must never be in one. */
export async function errorOf(response: Response) {
  const text = await response.text();
  expect(text).not.toMatch(/\bat .*\.(?:ts|js|mjs):\d|node_modules|workers\/|SQLITE|SELECT |Error:/);
  expect(text).not.toContain(TOKEN);
  expect(response.headers.get("Content-Type")).toMatch(/^application\/json/);
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const { error } = errorShape.parse(JSON.parse(text));
  return { status: response.status, code: error.code, paths: error.issues?.map(({ path }) => path) };
}

/** The door in an environment that differs in something. */
export async function through(
  changes: Partial<Env>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers({ Authorization: `Bearer ${TOKEN}`, ...init.headers });
  const request = new Request(`http://parley.test${path}`, { ...init, headers });
  return door.fetch(request, { ...env, ...changes });
}

let addresses = 0;

/** Headers of a client that nobody else shares an address with: wrong credentials are counted by address. */
export function elsewhere(): Record<string, string> {
  addresses += 1;
  return { "CF-Connecting-IP": `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}` };
}

/** An environment that counts the calls to the hub. */
export function countedHub(): { readonly env: Env; readonly calls: () => number } {
  let calls = 0;
  const HUB = new Proxy(env.HUB, {
    get: (hub, key) => {
      if (key === "get") calls += 1;
      const value: unknown = Reflect.get(hub, key);
      return typeof value === "function" ? value.bind(hub) : value;
    },
  });
  return { env: { ...env, HUB }, calls: () => calls };
}
