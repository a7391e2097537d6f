import { describe, expect, it } from "vitest";
import { guardedFetch, OutboundError } from "../../../core/outbound/guarded-fetch.ts";
import { readCappedText } from "../../../core/outbound/read-text.ts";

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Answer = (url: URL) => Response | Error;

const redirect = (status: number, location: string) =>
  new Response("moved", { status, headers: { location } });

/** A platform that answers by address and remembers what it was asked. */
function platform(answer: Answer, allow: readonly string[] = [], signal = new AbortController().signal) {
  const seen: Seen[] = [];
  const fetch = guardedFetch({
    allow,
    signal,
    fetch: async (input, init = {}) => {
      const url = new URL(input);
      expect(init.redirect).toBe("manual");
      seen.push({
        url: url.href,
        method: init.method ?? "",
        headers: Object.fromEntries(new Headers(init.headers)),
        body: init.body,
      });
      init.signal?.throwIfAborted();
      const made = answer(url);
      if (made instanceof Error) throw made;
      return made;
    },
  });
  return { seen, fetch };
}

async function codeOf(promise: Promise<Response>): Promise<string> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof OutboundError ? error.code : `no refusal: ${String(error)}`;
}

const SECRETS = {
  authorization: "Bearer t",
  cookie: "c=1",
  "proxy-authorization": "Basic x",
  "x-api-key": "k",
  "api-key": "k",
};
const PLAIN = { accept: "application/json", "content-type": "application/json" };

describe("the guarded fetch", () => {
  it("hands a request on and answers what came back", async () => {
    const { fetch, seen } = platform(() => new Response("hello"));
    const response = await fetch("https://example.com/a", { method: "post", body: "x", headers: SECRETS });
    expect(await response.text()).toBe("hello");
    expect(seen).toEqual([
      { url: "https://example.com/a", method: "POST", headers: expect.anything(), body: "x" },
    ]);
    expect(seen[0]?.headers).toMatchObject(SECRETS);
  });

  it("asks nobody when the address is refused", async () => {
    const { fetch, seen } = platform(() => new Response());
    expect(await codeOf(fetch("https://169.254.169.254/latest"))).toBe("private_address");
    expect(await codeOf(fetch("http://example.com/"))).toBe("not_encrypted");
    expect(seen).toEqual([]);
  });

  it("does not let the Host header name another server", async () => {
    const { fetch, seen } = platform(() => new Response());
    await fetch("https://example.com/", { headers: { Host: "metadata.google.internal" } });
    expect(seen[0]?.headers).toEqual({});
  });

  it.each(["https://10.0.0.1/", "https://[::ffff:127.0.0.1]/", "https://2130706433/", "https://localhost./"])(
    "does not follow a redirect to %s",
    async (target) => {
      const { fetch, seen } = platform(() => redirect(302, target));
      expect(await codeOf(fetch("https://example.com/"))).toMatch(/^(private_address|local_name)$/);
      expect(seen).toHaveLength(1);
    },
  );

  it.each([
    ["http://example.com/", "not_encrypted"],
    ["//user:pw@example.com/", "user_info"],
    ["file:///etc/passwd", "scheme"],
    ["//127.1/", "private_address"],
    ["https://", "not_a_url"],
  ])("does not follow a redirect to %s: %s", async (target, code) => {
    const { fetch } = platform(() => redirect(307, target));
    expect(await codeOf(fetch("https://example.com/"))).toBe(code);
  });

  it("checks the hops after the first one too", async () => {
    const { fetch, seen } = platform(({ host }) =>
      host === "a.example" ? redirect(302, "https://b.example/") : redirect(302, "https://127.0.0.1/"),
    );
    expect(await codeOf(fetch("https://a.example/"))).toBe("private_address");
    expect(seen.map(({ url }) => url)).toEqual(["https://a.example/", "https://b.example/"]);
  });

  it("follows five redirects and no sixth", async () => {
    const steps = (count: number): Answer => {
      return ({ pathname }) => {
        const next = Number(pathname.slice(1)) + 1;
        return next > count ? new Response("there") : redirect(302, `/${next}`);
      };
    };
    expect(await (await platform(steps(5)).fetch("https://example.com/0")).text()).toBe("there");
    expect(await codeOf(platform(steps(6)).fetch("https://example.com/0"))).toBe("too_many_redirects");
  });

  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [302, "PUT", "PUT"],
    [301, "DELETE", "DELETE"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
  ])("after a %i makes %s a %s", async (status, method, then) => {
    const { fetch, seen } = platform(({ pathname }) =>
      pathname === "/" ? redirect(status, "/next") : new Response(),
    );
    const body = method === "HEAD" ? null : "text";
    await fetch("https://example.com/", { method, body, headers: { ...PLAIN, ...SECRETS } });
    const kept = then === method;
    expect(seen[1]).toMatchObject({ method: then, body: kept ? body : null });
    expect(seen[1]?.headers["content-type"]).toBe(kept ? "application/json" : undefined);
    expect(seen[1]?.headers).toMatchObject(SECRETS);
  });

  it.each(["https://other.example/", "https://example.com:8443/", "https://sub.example.com/"])(
    "leaves every credential behind on the way to %s",
    async (target) => {
      const { fetch, seen } = platform(({ href }) =>
        href === "https://example.com/" ? redirect(307, target) : new Response(),
      );
      await fetch("https://example.com/", { method: "POST", body: "x", headers: { ...PLAIN, ...SECRETS } });
      expect(seen[1]?.headers).toEqual(PLAIN);
    },
  );

  it("does not send a body twice that can be read once", async () => {
    const { fetch } = platform(() => redirect(307, "/next"));
    const body = new Response("x").body;
    expect(await codeOf(fetch("https://example.com/", { method: "POST", body }))).toBe("body_spent");
  });

  it("does not follow where the caller does not want it", async () => {
    const { fetch } = platform(() => redirect(302, "https://127.0.0.1/"));
    expect((await fetch("https://example.com/", { redirect: "manual" })).status).toBe(302);
    expect(await codeOf(fetch("https://example.com/", { redirect: "error" }))).toBe("redirect");
  });

  it("names the host when it cannot be reached, and nothing else", async () => {
    const { fetch } = platform(() => new Error("fetch to https://example.com/hooks/s3cr3t failed"));
    await expect(fetch("https://example.com/hooks/s3cr3t")).rejects.toMatchObject({
      code: "unreachable",
      message: "https://example.com could not be reached.",
    });
  });

  it("is ended by its own signal and by the caller's", async () => {
    const gone = AbortSignal.abort(new Error("over"));
    await expect(platform(() => new Response(), [], gone).fetch("https://example.com/")).rejects.toThrow(
      "over",
    );
    const { fetch } = platform(() => new Response());
    await expect(fetch("https://example.com/", { signal: gone })).rejects.toThrow("over");
  });
});

describe("a capped text", () => {
  it("is whole when it is small enough, also where a character lies across two pieces", async () => {
    const bytes = new TextEncoder().encode("Grüße");
    const body = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readCappedText(new Response(body), 100)).toEqual({ text: "Grüße", cut: false });
    expect(await readCappedText(new Response(null), 100)).toEqual({ text: "", cut: false });
    expect(await readCappedText(new Response("12345"), 5)).toEqual({ text: "12345", cut: false });
  });

  it("ends an endless body", async () => {
    let cancelled = false;
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("0123456789")),
      cancel: () => {
        cancelled = true;
      },
    });
    expect(await readCappedText(new Response(body), 25)).toEqual({
      text: "0123456789012345678901234",
      cut: true,
    });
    expect(cancelled).toBe(true);
  });
});
