import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openEmailSchema } from "../../../core/config/email.ts";
import { decideMail } from "../../../core/email/decide.ts";
import { readHeaders } from "../../../protocols/smtp/headers.ts";
import { factsOf, readMail } from "../../../workers/email/read-mail.ts";
import { ANN, DESK, file, letterOfParts } from "../../support/letters.ts";
import { MAIL_CORPUS } from "../../support/mail-corpus.ts";

const email = openEmailSchema.parse({
  addresses: { [DESK]: "desk", "other@agents.example": "other" },
  allowedSenders: [ANN, "*@office.example"],
  signingKey: "unit-test-signing-key",
});

interface Envelope {
  readonly from: string;
  readonly to: string;
}

const bytesOf = (raw: string | Uint8Array) => (typeof raw === "string" ? new TextEncoder().encode(raw) : raw);

/** The code of the refusal, or what the mail says. */
async function judged(raw: Uint8Array, envelope: Envelope) {
  const section = readHeaders(raw);
  if (!section.ok) return { verdict: section.code, text: "" };
  const decision = await decideMail(email, factsOf(envelope, section.headers), 0);
  if (!decision.ok) return { verdict: decision.code, text: "" };
  const read = await readMail(raw, section.headers, (text) => text);
  return read === null ? { verdict: "malformed", text: "" } : { verdict: "taken", ...read };
}

describe("a mail with", () => {
  it.each(MAIL_CORPUS.map((sample) => [sample.name, sample] as const))(
    "%s goes where it should",
    async (_name, { raw, verdict, from = ANN, to = DESK, text = "" }) => {
      const outcome = await judged(bytesOf(raw), { from, to });
      expect(outcome.verdict).toBe(verdict);
      expect(outcome.text).toContain(text);
    },
  );

  it("a message within shows none of that one's words as its own", async () => {
    const sample = MAIL_CORPUS.find(({ name }) => name.startsWith("a message within"));
    const outcome = await judged(bytesOf(sample?.raw ?? ""), { from: ANN, to: DESK });
    expect(outcome).toMatchObject({ verdict: "taken", attachments: [{ name: "message.eml" }] });
    expect(outcome.text).not.toContain("inner words");
  });

  it("so many short lines that reading them would take long is refused", async () => {
    const head = bytesOf(String(MAIL_CORPUS.find(({ name }) => name === "an empty body")?.raw));
    const raw = Buffer.concat([head, Buffer.from("a\r\n".repeat(3_300_000))]);
    expect((await judged(new Uint8Array(raw), { from: ANN, to: DESK })).verdict).toBe("malformed");
  });
});

it("L5 a secret in a subject or a file's name is masked before it is cut", async () => {
  const secret = "k3y-0123456789-abcdef";
  const mask = (text: string) => text.replaceAll(secret, "[masked]");
  for (const before of [70, 80, 185, 195, 985, 995]) {
    const words = `${"x".repeat(before)}${secret}${"y".repeat(30)}`;
    const raw = bytesOf(letterOfParts([file(`${words}.txt`, "content")], { headers: { Subject: words } }));
    const section = readHeaders(raw);
    const read = section.ok ? await readMail(raw, section.headers, mask) : null;
    expect(read?.attachments).toHaveLength(1);
    const shown = JSON.stringify([read?.subject, read?.replySubject, read?.attachments[0]?.name]);
    expect(shown).not.toContain(secret.slice(0, 4));
  }
});

it("no change to any of these mails makes reading it fail", async () => {
  const change = fc.record({ at: fc.nat(5_000), cut: fc.nat(40), put: fc.uint8Array({ maxLength: 8 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MAIL_CORPUS),
      fc.array(change, { maxLength: 4 }),
      async (sample, changes) => {
        if (sample.raw.length > 20_000) return;
        let raw = bytesOf(sample.raw);
        for (const { at, cut, put } of changes) {
          const place = at % (raw.length + 1);
          raw = new Uint8Array(Buffer.concat([raw.subarray(0, place), put, raw.subarray(place + cut)]));
        }
        const { verdict } = await judged(raw, { from: sample.from ?? ANN, to: sample.to ?? DESK });
        expect(verdict).toMatch(/^[a-z_]+$/);
      },
    ),
    { numRuns: 150 },
  );
});
