/** A webhook at the viewer's address, and e-mail. */
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DESK, letter } from "../../support/letters.ts";
import { type Door, HOOK_SECRET } from "./door.ts";

export function webhookAndMail(door: Door): void {
  describe("a webhook", () => {
    it("is taken by its signature alone, once", async () => {
      const body = JSON.stringify({ text: "Gr\u00fc\u00dfe, 7 \u20ac" });
      const timestamp = String(Math.floor(Date.now() / 1000));
      const digest = createHmac("sha256", HOOK_SECRET).update(`${timestamp}.${body}`).digest("hex");
      const headers = { "X-Parley-Timestamp": timestamp, "X-Parley-Delivery": "order-7" };
      const call = (signature: string) =>
        fetch(new URL("/hooks/clerk/orders", door.instance.viewerUrl), {
          method: "POST",
          headers: { ...headers, "X-Hub-Signature-256": signature },
          body,
        });
      expect((await call(`sha256=${"0".repeat(64)}`)).status).toBe(401);
      const first = await call(`sha256=${digest}`);
      expect(first.status).toBe(202);
      const { runId } = z.object({ runId: z.string() }).parse(await first.json());
      const again = await call(`sha256=${digest}`);
      expect([again.status, await again.json()]).toEqual([200, { runId }]);
      expect((await door.ended(runId)).reply).toContain("Gr\u00fc\u00dfe, 7 \u20ac");
    });
  });

  describe("an e-mail at the platform's local endpoint", () => {
    const outcomeShape = z.looseObject({ outcome: z.string(), rejectReason: z.string().optional() });
    async function handIn(raw: string) {
      const place = `${door.instance.workerUrl}/cdn-cgi/local/email?from=ann@people.example&to=${DESK}&format=json`;
      const response = await fetch(place, { method: "POST", body: raw });
      return outcomeShape.parse(await response.json());
    }

    it("wakes its agent, and is answered in its thread over SMTP", async () => {
      const headers = { "Message-ID": "<first@people.example>", Subject: "How many?" };
      expect((await handIn(letter({ headers }))).rejectReason).toBeUndefined();
      await expect.poll(() => door.mails.length, { timeout: 30_000, interval: 100 }).toBe(1);
      const [mail = ""] = door.mails;
      expect(mail).toMatch(/^From: clerk <desk\+[a-z2-7]{28}@agents\.example>\r$/m);
      expect(mail).toMatch(/^Subject: Re: How many\?\r$/m);
      expect(mail).toMatch(/^In-Reply-To: <first@people\.example>\r$/m);
      expect(mail).toMatch(/^Auto-Submitted: auto-replied\r$/m);
      expect(mail).toContain("I heard:");
    });

    it("is refused in the terms of SMTP where nobody vouches for its sender", async () => {
      expect((await handIn(letter({ authenticated: null }))).rejectReason).toMatch(/^5\.7\.1 /);
    });
  });
}
