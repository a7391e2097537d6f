import { describe, expect, it } from "vitest";
import { letter, mailDesk, mailReady } from "./mail-setup.ts";

/** Bytes of a text in which every character is one byte. */
const latin = (text: string) => Buffer.from(text, "latin1");

async function read(raw: string | Uint8Array): Promise<Record<string, unknown>> {
  const desk = mailDesk();
  desk.box.deliver(raw);
  return desk.ok({ action: "read_message", uid: 1 });
}

const typed = (type: string, encoding = "8bit") => ({
  "MIME-Version": "1.0",
  "Content-Type": type,
  "Content-Transfer-Encoding": encoding,
});

/** A body of parts, each its header and its content. */
function parts(boundary: string, list: readonly (readonly [string, string])[]): string {
  return `${list.map(([header, content]) => `--${boundary}\r\n${header}\r\n\r\n${content}\r\n`).join("")}--${boundary}--\r\n`;
}

describe.runIf(mailReady)("the content of a message", () => {
  it.each([
    ["iso-8859-1", "8bit", latin("Gr\xfc\xdfe\r\n"), "Gr\u00fc\u00dfe"],
    ["iso-8859-2", "8bit", latin("\xb1\xe6\xea\r\n"), "\u0105\u0107\u0119"],
    ["windows-1252", "8bit", latin("\x80 5 \x93so\x94\r\n"), "\u20ac 5 \u201cso\u201d"],
    ["iso-8859-2", "quoted-printable", latin("=B1=E6 a=3Db=\r\n c\r\n"), "\u0105\u0107 a=b c"],
    ["utf-8", "base64", latin("R3LDvMOfZSDwn5iA\r\n"), "Gr\u00fc\u00dfe \u{1f600}"],
    ["shift_jis", "8bit", latin("\x93\xfa\x96\x7b\r\n"), "\u65e5\u672c"],
    ["utf-8; format=flowed", "7bit", latin("one \r\ntwo\r\n"), "one two"],
    ["us-ascii", "8bit", Buffer.from("\u00fc\r\n", "utf8"), "\u00fc"],
    ["us-ascii", "8bit", latin("\xfc and more\r\n"), "\u00fc and more"],
  ])("is read in %s by %s", async (charset, encoding, body, text) => {
    const head = latin(letter(typed(`text/plain; charset=${charset}`, encoding), ""));
    expect(await read(Buffer.concat([head, body]))).toMatchObject({ text });
  });

  it("has its headers decoded: encoded words, UTF-8 and plain eight bits", async () => {
    const subject = "=?utf-8?Q?=C3=9Cber?= =?iso-8859-1?Q?_K=F6ln?= =?utf-8?B?8J+YgA==?=";
    expect(
      await read(letter({ Subject: subject, From: "=?utf-8?Q?J=C3=B6rg?= <j@example.test>" })),
    ).toMatchObject({
      subject: "\u00dcber K\u00f6ln\u{1f600}",
      from: ["J\u00f6rg <j@example.test>"],
    });
    const head = letter({ Subject: "Gr\xfc\xdfe", From: "J\xf6rg <j@example.test>" });
    const decoded = { subject: "Gr\u00fc\u00dfe", from: ["J\u00f6rg <j@example.test>"] };
    expect(await read(latin(head))).toMatchObject(decoded);
    expect(await read(Buffer.from(head, "utf8"))).toMatchObject(decoded);
  });

  it("is the text of a mail that has only HTML", async () => {
    const html =
      "<html><head><style>p{color:red}</style></head><body><STYLE>b{}</STYLE><h1>Offer</h1>" +
      "<p>Caf&eacute; &amp; bar<br>two</p><script>alert(1)</script><a href='https://x.example/'>here</a></body></html>";
    const answer = await read(letter(typed("text/html; charset=utf-8"), `${html}\r\n`));
    expect(answer).toMatchObject({ textFrom: "html" });
    expect(answer.text).toMatch(/Offer\s+Caf\u00e9 & bar\s+two/);
    expect(answer.text).toContain("https://x.example/");
    expect(answer.text).not.toMatch(/color|alert|b\{\}|</);
  });

  it("is found however deep it is nested", async () => {
    const alternative = parts("in", [
      ["Content-Type: text/plain; charset=utf-8", "The plain text."],
      ["Content-Type: text/html; charset=utf-8", "<p>The HTML.</p>"],
    ]);
    const related = parts("mid", [
      ["Content-Type: multipart/alternative; boundary=in", alternative],
      ["Content-Type: image/png\r\nContent-ID: <logo>\r\nContent-Transfer-Encoding: base64", "iVBORw0KGgo="],
    ]);
    const file =
      'Content-Type: text/csv; charset=utf-8\r\nContent-Disposition: attachment; filename="list.csv"';
    const named =
      "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''%C3%9Cber.pdf";
    const body = parts("out", [
      ["Content-Type: multipart/related; boundary=mid", related],
      [file, "name;number\r\nAnn;1"],
      [named, "%PDF-1.7"],
    ]);
    expect(await read(letter(typed("multipart/mixed; boundary=out"), body))).toMatchObject({
      text: "The plain text.",
      textFrom: "plain",
      attachments: [
        { name: null, type: "image/png", note: expect.stringContaining("Not a text") },
        { name: "list.csv", type: "text/csv", text: "name;number\nAnn;1" },
        { name: "\u00dcber.pdf", type: "application/pdf", note: expect.stringContaining("Not a text") },
      ],
    });
  });

  it("has its invitation as text", async () => {
    const calendar = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nSUMMARY:Fr\u00fchst\u00fcck\r\nEND:VCALENDAR";
    const body = parts("b", [
      ["Content-Type: text/plain; charset=utf-8", "You are invited."],
      [
        "Content-Type: text/calendar; charset=utf-8; method=REQUEST\r\nContent-Transfer-Encoding: base64",
        Buffer.from(calendar).toString("base64"),
      ],
    ]);
    expect(await read(letter(typed("multipart/alternative; boundary=b"), body))).toMatchObject({
      text: "You are invited.",
      attachments: [{ type: "text/calendar", text: calendar.replaceAll("\r\n", "\n") }],
    });
  });

  it("shows the parts of a forwarded mail as attached", async () => {
    const body = parts("b", [
      ["Content-Type: text/plain", "See below."],
      ["Content-Type: message/rfc822", letter({ Subject: "Inner" }, "The inner text.")],
    ]);
    expect(await read(letter(typed("multipart/mixed; boundary=b"), body))).toMatchObject({
      text: "See below.",
      attachments: [{ type: "message/rfc822" }, { type: "text/plain", text: "The inner text." }],
    });
  });

  it("is cut where it is attached in great number or length", async () => {
    const text = ["Content-Type: text/plain; name=a.txt", `${"long ".repeat(10_000)}`] as const;
    const list = Array.from({ length: 30 }, () => text);
    const body = parts("b", [["Content-Type: text/plain", "Many."], ...list]);
    const answer = await read(letter(typed("multipart/mixed; boundary=b"), body));
    expect(JSON.stringify(answer).length).toBeLessThan(20_000);
    expect(answer.attachments).toHaveLength(21);
    expect(answer).toMatchObject({ text: "Many." });
  });

  it("that is broken is read as far as it goes", async () => {
    for (const raw of [
      "",
      "\r\n",
      "no header at all",
      "Subject: x\r\n",
      letter(typed("multipart/mixed; boundary=b"), "--b\r\nContent-Type: text/plain\r\n\r\nunfinished"),
      letter(typed("multipart/mixed"), "no boundary"),
      letter(typed("text/plain; charset=no-such-charset", "no-such-encoding"), "text"),
      letter({ From: "<<<>>>,,;:", To: "\xff\xfe", Date: "yesterday", "Content-Type": ";;;=" }, "text"),
    ]) {
      const answer = await read(raw === "" ? "\n" : raw);
      expect(answer).toMatchObject({ uid: 1, text: expect.any(String) });
    }
  });
});
