import { describe, expect, it } from "vitest";
import { automaticSign } from "../../protocols/smtp/automatic.ts";
import { mailHeader } from "../../test/support/memory-mailbox.ts";
import { decodeHead } from "./decode.ts";

const own = ["bot@example.test"];
const signOf = async (lines: Readonly<Record<string, string>>) =>
  automaticSign(await decodeHead(new TextEncoder().encode(mailHeader(lines))), own);

describe("automatic mail is recognised", () => {
  it.each([
    ["auto_submitted", { "Auto-Submitted": "auto-replied" }],
    ["auto_submitted", { "AUTO-SUBMITTED": " Auto-Generated; owner-email=x" }],
    ["precedence", { Precedence: "bulk" }],
    ["precedence", { Precedence: "List" }],
    ["precedence", { Precedence: "junk" }],
    ["mailing_list", { "List-Id": "News <news.example.test>" }],
    ["auto_response_suppressed", { "X-Auto-Response-Suppress": "OOF, AutoReply" }],
    ["auto_reply", { "X-Autoreply": "yes" }],
    ["null_return_path", { "Return-Path": "<>" }],
    ["report", { "Content-Type": "multipart/report; report-type=delivery-status; boundary=x" }],
    ["mailer_daemon", { From: "Mail Delivery <MAILER-DAEMON@mx.example.test>" }],
    ["own_address", { From: "Somebody <Bot@Example.TEST>" }],
  ] as const)("by %s in %j", async (sign, lines) => {
    expect(await signOf(lines)).toBe(sign);
  });

  it.each([
    {},
    { "Auto-Submitted": "no" },
    { Precedence: "first-class" },
    { "Return-Path": "<ann@example.test>" },
    { "X-Auto-Response-Suppress": "None" },
    { Subject: "Auto-Submitted: auto-replied" },
    { From: "bot <ann@example.test>" },
    { From: "robot@example.test" },
    { "Content-Type": "text/plain" },
  ])("and not by %j", async (lines) => {
    expect(await signOf(lines)).toBeNull();
  });
});
