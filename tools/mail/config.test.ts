import { describe, expect, it } from "vitest";
import { configSchema, imapAccess, smtpServer } from "./config.ts";

const valid = {
  ...{ imapHost: "imap.example.test", smtpHost: "smtp.example.test" },
  ...{ username: "bot@example.test", password: "config-pa55word", from: "Bot <bot@example.test>" },
};
const placesOf = (config: object) => {
  const parsed = configSchema.parse({ ...valid, ...config });
  const [imap, smtp] = [imapAccess(parsed), smtpServer(parsed)];
  return [imap && [imap.port, imap.security], smtp && [smtp.port, smtp.security]];
};

describe("the config", () => {
  it.each([
    [{}, [993, "tls"], [465, "tls"]],
    [{ security: "starttls" }, [143, "starttls"], [587, "starttls"]],
    [{ security: "none" }, [143, "none"], [25, "none"]],
    [{ smtpPort: 587 }, [993, "tls"], [587, "starttls"]],
    [{ security: "starttls", imapPort: 993 }, [993, "tls"], [587, "starttls"]],
    [{ security: "starttls", imapPort: 1143, smtpPort: 2525 }, [1143, "starttls"], [2525, "starttls"]],
    [{ imapPort: 1993, smtpPort: 1465 }, [1993, "tls"], [1465, "tls"]],
    [{ security: "none", imapPort: 993, smtpPort: 587 }, [993, "none"], [587, "none"]],
  ])("means with %j these ports and encryptions", (config, imap, smtp) => {
    expect(placesOf(config)).toEqual([imap, smtp]);
  });

  it("may leave out reading or sending", () => {
    expect(placesOf({ imapHost: undefined })[0]).toBeNull();
    expect(placesOf({ smtpHost: undefined })[1]).toBeNull();
    const nobody = { imapHost: undefined, username: undefined, password: undefined };
    expect(
      configSchema.safeParse({ ...valid, ...nobody, useSendEmail: true, smtpHost: undefined }).success,
    ).toBe(true);
  });

  it("allows nobody by default and normalises who is allowed", () => {
    expect(configSchema.parse(valid).allowedRecipients).toEqual([]);
    const allowedRecipients = ["Ann@Example.TEST", "@B\u00fccher.example"];
    expect(configSchema.parse({ ...valid, allowedRecipients }).allowedRecipients).toEqual([
      "ann@example.test",
      "@xn--bcher-kva.example",
    ]);
  });

  it.each([
    [{ imapHost: undefined, smtpHost: undefined }],
    [{ username: undefined }],
    [{ password: undefined }],
    [{ username: undefined, password: undefined }],
    [{ imapHost: "imap.example.test:993" }],
    [{ imapHost: "imaps://imap.example.test" }],
    [{ smtpPort: 0 }],
    [{ security: "ssl" }],
    [{ from: "Bot" }],
    [{ from: "a@example.test, b@example.test" }],
    [{ from: "Bot\r\nBcc: eve@evil.example <bot@example.test>" }],
    [{ allowedRecipients: ["*"] }],
    [{ allowedRecipients: ["example.test"] }],
  ])("is refused with %j", (config) => {
    expect(configSchema.safeParse({ ...valid, ...config }).success).toBe(false);
  });
});
