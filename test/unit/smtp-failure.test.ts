import { describe, expect, it } from "vitest";
import { failureOf } from "../../protocols/smtp/failure.ts";

const server = { host: "mail.example", port: 465, security: "tls" } as const;
const progress = { server, connected: true, upgrading: false, handedOver: true };

const failed = (error: object) => failureOf(Object.assign(new Error("It failed"), error), progress);

describe("what a mail server answers", () => {
  it.each([
    ["450 mailbox busy", "EENVELOPE"],
    ["452 4.2.2 mailbox full", "EENVELOPE"],
    ["451 4.7.1 greylisted", "EMESSAGE"],
    ["421 4.7.0 too much", "EMESSAGE"],
    ["454 4.7.0 login is down", "EAUTH"],
  ])("%s means that it may be sent later, and was not", (response, code) => {
    expect(failed({ code, response })).toMatchObject({ ok: false, code: "later", mayHaveBeenSent: false });
  });

  it.each([
    ["550 no such mailbox", "EENVELOPE", "rejected"],
    ["554 spam", "EMESSAGE", "rejected"],
    ["535 wrong password", "EAUTH", "auth"],
  ])("%s is final", (response, code, sorted) => {
    expect(failed({ code, response })).toMatchObject({ ok: false, code: sorted, mayHaveBeenSent: false });
  });

  it("is unknown where the connection broke after all was handed over", () => {
    expect(failed({ code: "ESOCKET" })).toMatchObject({ code: "gone", mayHaveBeenSent: true });
  });
});
