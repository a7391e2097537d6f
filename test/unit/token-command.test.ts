import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runScript, withInstance } from "../support/command.ts";

const COMMAND = fileURLToPath(import.meta.resolve("../../scripts/token.mjs"));
const MADE = JSON.stringify({ name: "ci", role: "read", expiresAt: null, token: "parley_made" });
const token = (...args: string[]) => runScript(COMMAND, args, { cwd: tmpdir(), env: { API_TOKEN: "ours" } });

describe("npm run token", { timeout: 60_000 }, () => {
  it("makes a token and prints it alone, so that it can be piped on", async () => {
    await withInstance({ status: 201, body: MADE }, async (url, received) => {
      const ending = await token("create", "ci", "--role", "read", "--expires", "2999-01-31", "--url", url);
      expect(ending).toMatchObject({ code: 0, out: "parley_made\n" });
      const [request] = received;
      expect(request).toMatchObject({ method: "POST", url: "/api/tokens", authorization: "Bearer ours" });
      expect(JSON.parse(request?.body ?? "")).toEqual({
        name: "ci",
        role: "read",
        expiresAt: "2999-01-31T23:59:59.999Z",
      });
    });
  });

  it("leaves out when it expires, where nothing was said", async () => {
    await withInstance({ status: 201, body: MADE }, async (url, received) => {
      await token("create", "ci", "--role", "admin", "--url", url);
      expect(JSON.parse(received[0]?.body ?? "")).toEqual({ name: "ci", role: "admin" });
    });
  });

  it("lists tokens one a line", async () => {
    const entry = { name: "ci", role: "read", createdAt: "2030-01-01T10:00:00.000Z" };
    const body = JSON.stringify([{ ...entry, expiresAt: null, lastUsedAt: "2030-01-02T11:00:00.000Z" }]);
    await withInstance({ status: 200, body }, async (url) => {
      const { code, out } = await token("list", "--url", url);
      expect(code).toBe(0);
      expect(out.split("\n")[1]?.split(/ {2,}/)).toEqual([
        "ci",
        "read",
        "2030-01-01 10:00",
        "-",
        "2030-01-02 11:00",
      ]);
    });
  });

  it("revokes by name", async () => {
    await withInstance({ status: 200, body: '{"ok":true}' }, async (url, received) => {
      expect(await token("revoke", "ci", "--url", url)).toMatchObject({ code: 0, out: "" });
      expect(received).toMatchObject([{ method: "DELETE", url: "/api/tokens/ci" }]);
    });
  });

  it("says which role was needed, and what else the instance has against it", async () => {
    const refused = (code: string, message: string, issues: object[] = []) =>
      JSON.stringify({ error: { code, message, issues } });
    const forbidden = refused("forbidden", "This needs the role admin; yours is read.");
    await withInstance({ status: 403, body: forbidden }, async (url) => {
      expect((await token("list", "--url", url)).err).toContain("needs the role admin");
    });
    const taken = refused("refused", "There is a token of that name.", [{ path: "name", message: "taken" }]);
    await withInstance({ status: 409, body: taken }, async (url) => {
      const { code, out, err } = await token("create", "ci", "--role", "read", "--url", url);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/of that name[\s\S]*name: taken/);
    });
  });

  it.each([
    [[], "list, create or revoke"],
    [["make"], "list, create or revoke"],
    [["create", "--role", "read"], "NAME"],
    [["create", "ci"], "--role read"],
    [["create", "ci", "--role", "owner"], "--role read"],
    [["create", "ci", "--role", "read", "--expires", "soon"], "2027-01-31"],
    [["create", "ci", "--role", "read", "--expires", "2999-01-31T10:00"], "zone"],
    [["revoke"], "NAME"],
    [["list", "all"], "no name"],
    [["list", "--force"], "--force"],
  ])("answers %j with the next step and no stack trace", async (args, hint) => {
    const { code, out, err } = await token(...args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(hint);
    expect(err).not.toMatch(/\n\s+at /);
  });
});
