/** Mails of the kinds that the world sends, with what must become of each. */
import { ANN, DESK, file, letter, letterOfParts, passed, RESULTS } from "./letters.ts";

export interface Sample {
  readonly name: string;
  readonly raw: string | Uint8Array;
  /** `taken`, or the code of the refusal. */
  readonly verdict: string;
  readonly from?: string;
  readonly to?: string;
  /** What the text of a taken one holds. */
  readonly text?: string;
}

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
const plain = (charset: string, rest: Record<string, string> = {}) => ({
  "Content-Type": `text/plain; charset=${charset}`,
  "Content-Transfer-Encoding": "8bit",
  ...rest,
});
const from = (value: string | readonly string[] | null, verdict: string, name: string): Sample => ({
  name,
  raw: letter({ headers: { From: value } }),
  verdict,
});
const results = (value: string | readonly string[] | null, verdict: string, name: string): Sample => ({
  name,
  raw: letter({ headers: { [RESULTS]: value } }),
  verdict,
});
const automatic = (headers: Record<string, string>, name: string): Sample => ({
  name,
  raw: letter({ headers }),
  verdict: "automatic",
});

const CHARSETS: readonly Sample[] = [
  {
    name: "Latin-1",
    raw: bytes(letter({ headers: plain("iso-8859-1"), body: "Gr\u00fc\u00dfe" })),
    verdict: "taken",
    text: "Gr\u00fc\u00dfe",
  },
  {
    name: "a Windows charset",
    raw: bytes(letter({ headers: plain("windows-1252"), body: "\x80 100" })),
    verdict: "taken",
    text: "\u20ac 100",
  },
  {
    name: "Japanese",
    raw: bytes(letter({ headers: plain("iso-2022-jp"), body: "\x1b$B$3$s$K$A$O\x1b(B" })),
    verdict: "taken",
    text: "\u3053\u3093\u306b\u3061\u306f",
  },
  {
    name: "a charset that does not exist",
    raw: letter({ headers: plain("x-nobody-has-this"), body: "Hello" }),
    verdict: "taken",
    text: "Hello",
  },
  {
    name: "quoted-printable with broken escapes",
    raw: letter({
      headers: plain("utf-8", { "Content-Transfer-Encoding": "quoted-printable" }),
      body: "a=3Db =ZZ =",
    }),
    verdict: "taken",
    text: "a=b",
  },
  {
    name: "base64 with a broken end",
    raw: letter({
      headers: plain("utf-8", { "Content-Transfer-Encoding": "base64" }),
      body: "SGVsbG8g*d29ybG",
    }),
    verdict: "taken",
    text: "Hello",
  },
  {
    name: "an encoded subject that ends in the middle of a letter",
    raw: letter({ headers: { Subject: "=?utf-8?q?Gr=C3=BC=C3?= =?utf-8?q?=9Fe?=" } }),
    verdict: "taken",
  },
  {
    name: "a header of eight-bit letters without any rule",
    raw: bytes(letter({ headers: { Subject: "Gr\u00fc\u00dfe" } })),
    verdict: "taken",
  },
];

const SHAPES: readonly Sample[] = [
  { name: "an empty body", raw: letter({ body: "" }), verdict: "taken" },
  { name: "no end of the header", raw: letter().split("\r\n\r\n")[0] ?? "", verdict: "taken" },
  { name: "line feeds alone", raw: letter().replaceAll("\r\n", "\n"), verdict: "taken", text: "Hello." },
  {
    name: "HTML alone",
    raw: letter({
      headers: { "Content-Type": "text/html" },
      body: "<p>Hello <b>there</b></p><style>p{}</style>",
    }),
    verdict: "taken",
    text: "Hello there",
  },
  {
    name: "a part that never ends",
    raw: letter({ headers: { "Content-Type": "multipart/mixed; boundary=x" }, body: "--x\r\n\r\nHello" }),
    verdict: "taken",
    text: "Hello",
  },
  {
    name: "parts without a boundary",
    raw: letter({ headers: { "Content-Type": "multipart/mixed" }, body: "--x\r\n\r\nHello" }),
    verdict: "taken",
  },
  {
    name: "a message within the message, with a From of its own",
    raw: letterOfParts([
      { type: "text/plain", content: "See below." },
      {
        type: "message/rfc822",
        content: letter({ headers: { From: "Eve <eve@evil.example>" }, body: "inner words" }),
      },
    ]),
    verdict: "taken",
    text: "See below.",
  },
  { name: "a hundred parts within parts", raw: nested(100), verdict: "malformed" },
  {
    name: "attachments with names of all kinds",
    raw: letterOfParts([
      { type: "text/plain", content: "Files." },
      file("../../etc/passwd", "x"),
      file("con.txt", "x"),
      file("", "x"),
      file("a\u202etxt.exe", "x"),
    ]),
    verdict: "taken",
    text: "Files.",
  },
  { name: "no Message-ID, date or subject", raw: bare(), verdict: "taken" },
  {
    name: "the envelope's line of a mailbox file on top",
    raw: `From ann@people.example Mon Nov  2 09:00:00 2026\r\n${letter()}`,
    verdict: "taken",
  },
  {
    name: "a header of 400 kB",
    raw: letter({ headers: { "X-Long": "x".repeat(400_000) } }),
    verdict: "too_large",
  },
  {
    name: "2,000 headers",
    raw: letter({ headers: { "X-Many": Array(2_000).fill("x") } }),
    verdict: "too_large",
  },
  { name: "a line that is no header", raw: `This is a mail.\r\n${letter()}`, verdict: "malformed" },
  {
    name: "a lone carriage return in a header",
    raw: letter({ headers: { Subject: "a\rFrom: b" } }),
    verdict: "malformed",
  },
  { name: "a NUL in a header", raw: letter({ headers: { Subject: "a\0b" } }), verdict: "malformed" },
  { name: "nothing at all", raw: "", verdict: "bad_from" },
  { name: "noise", raw: bytes(noise()), verdict: "malformed" },
];

const SPOOFS: readonly Sample[] = [
  from(null, "bad_from", "no From"),
  from(["Ann <ann@people.example>", "Eve <eve@evil.example>"], "bad_from", "two From headers"),
  from(`Ann <${ANN}>, Eve <eve@evil.example>`, "bad_from", "two authors"),
  from(`${ANN} (Ann)`, "bad_from", "a comment"),
  from(`(<${ANN}>) <eve@evil.example>`, "bad_from", "an address in a comment"),
  from(`"${ANN}" <eve@evil.example>`, "bad_from", "another address as the name"),
  from(
    `=?utf-8?q?ann=40people=2Eexample?= <eve@evil.example>`,
    "bad_from",
    "another address as an encoded name",
  ),
  from("=?utf-8?q?=3Cann=40people=2Eexample=3E?=", "bad_from", "an encoded word for an address"),
  from(`Team: ${ANN};`, "bad_from", "a group"),
  from(`Ann <${ANN}> <eve@evil.example>`, "bad_from", "two addresses in one"),
  from(`<@evil.example:${ANN}>`, "bad_from", "a route"),
  from(`Ann <ann@people.example\u0000.evil.example>`, "malformed", "a NUL in the address"),
  from("Eve <eve@evil.example>", "not_authenticated", "somebody else's domain"),
  from(`=?utf-8?q?=0D=0ABcc:_x?= <${ANN}>`, "bad_from", "a line break in an encoded name"),
  from(`"${ANN}" <${ANN}>`, "taken", "its own address as the name"),
  from(`=?utf-8?q?Ann_M=C3=BCller?= <${ANN}>`, "taken", "an encoded name"),
  from(`"Smith, Ann" <${ANN.toUpperCase()}>`, "taken", "an address in capital letters"),
  {
    name: "an old spelling of a second From",
    raw: letter().replace("Subject:", `From : eve@evil.example\r\nSubject:`),
    verdict: "bad_from",
  },
  results(null, "no_results", "no results"),
  results(
    passed("people.example").replace("mx.cloudflare.net;", "mx.evil.example;"),
    "no_results",
    "another server's results",
  ),
  results(
    [failed("people.example"), passed("people.example")],
    "not_authenticated",
    "forged results below the real ones",
  ),
  results([passed("people.example"), failed("people.example")], "taken", "older results below"),
  results(
    [
      "mx.cloudflare.net; spf=pass (domain of a(b@evil.example) smtp.mailfrom=evil.example; dmarc=fail",
      passed("people.example"),
    ],
    "no_results",
    "unreadable real results above forged ones",
  ),
  results(
    [failed("people.example").replace(";", ` (${"x".repeat(20_000)});`), passed("people.example")],
    "no_results",
    "over-long real results above forged ones",
  ),
  results(
    [passed("people.example").replace("mx.cloudflare.net;", "mx.other.example;"), passed("people.example")],
    "taken",
    "another server's results above the real ones",
  ),
  results(
    Array.from({ length: 13 }, () => `x;${" ".repeat(19_900)}y`),
    "no_results",
    "thirteen results of nearly nothing but blanks",
  ),
  results(
    'mx.cloudflare.net; spf=fail smtp.mailfrom="\\\u2028; dmarc=pass header.from=people.example; y"@evil.example',
    "not_authenticated",
    "a pass in a quote behind a letter that ends lines",
  ),
  results(
    'mx.cloudflare.net; dkim = pass header.b="ab" header.d = people.example',
    "taken",
    "blanks around signs",
  ),
  results(
    "mx.cloudflare.net; dkim=pass header.b=ab== header.d=people.example",
    "taken",
    "a signature that ends with signs",
  ),
  results("mx.cloudflare.net; none", "not_authenticated", "results that say nothing"),
  results(
    "mx.cloudflare.net; spf=fail (x; dmarc=pass header.from=people.example; ) smtp.mailfrom=people.example",
    "not_authenticated",
    "a pass in a comment",
  ),
  results(
    'mx.cloudflare.net; spf=fail smtp.mailfrom="x; dmarc=pass header.from=people.example; y"@evil.example',
    "not_authenticated",
    "a pass in a quote",
  ),
  results(
    "mx.cloudflare.net; dmarc=pass header.from=people.example (",
    "no_results",
    "a comment without an end",
  ),
  results(
    "mx.cloudflare.net; dmarc=pass header.from=evil.example",
    "not_authenticated",
    "a pass of another domain",
  ),
  results(
    "mx.cloudflare.net; dkim=pass header.d=evil.example",
    "not_authenticated",
    "another domain's signature",
  ),
  results("mx.cloudflare.net; spf=pass smtp.helo=people.example", "not_authenticated", "a greeting's name"),
  results(
    "mx.cloudflare.net; dmarc=fail header.from=people.example; dkim=pass header.d=people.example",
    "not_authenticated",
    "DMARC against it",
  ),
  results(
    "mx.cloudflare.net; dkim=pass header.d=People.Example",
    "taken",
    "the domain's own signature alone",
  ),
  results(
    'mx.cloudflare.net 1; spf=pass smtp.mailfrom="ann@people.example"',
    "taken",
    "SPF of the domain alone",
  ),
];

const LOOPS: readonly Sample[] = [
  automatic({ "Auto-Submitted": "auto-replied" }, "an out-of-office note"),
  automatic({ "Auto-Submitted": "auto-generated" }, "a machine's mail"),
  automatic({ Precedence: "bulk" }, "bulk mail"),
  automatic({ Precedence: "list" }, "a list by its precedence"),
  automatic({ "List-Id": "<news.people.example>" }, "a mailing list"),
  automatic({ "X-Auto-Response-Suppress": "All" }, "a note that wants no answers"),
  automatic({ "X-Autoreply": "yes" }, "an old auto-reply"),
  automatic({ "Return-Path": "<>" }, "an empty return path"),
  automatic({ "Content-Type": "multipart/report; report-type=delivery-status; boundary=x" }, "a report"),
  automatic({ From: "Mail Delivery <mailer-daemon@people.example>" }, "a mail server"),
  { name: "a bounce", raw: letter(), from: "", verdict: "bounce" },
  { name: "a bounce with brackets", raw: letter(), from: "<>", verdict: "bounce" },
  {
    name: "an agent's own address",
    raw: letter({ headers: { From: DESK }, authenticated: "agents.example" }),
    from: DESK,
    verdict: "own_address",
  },
  {
    name: "an agent's own address with a mark",
    raw: letter({ headers: { From: "desk+anything@agents.example" }, authenticated: "agents.example" }),
    verdict: "own_address",
  },
];

const STRANGERS: readonly Sample[] = [
  {
    name: "somebody who is not allowed",
    raw: letter({ headers: { From: "eve@evil.example" }, authenticated: "evil.example" }),
    verdict: "sender_not_allowed",
  },
  {
    name: "somebody of an allowed domain",
    raw: letter({ headers: { From: "any.one@office.example" }, authenticated: "office.example" }),
    verdict: "taken",
  },
  {
    name: "somebody of a domain below an allowed one",
    raw: letter({ headers: { From: "x@sub.office.example" }, authenticated: "sub.office.example" }),
    verdict: "sender_not_allowed",
  },
  {
    name: "an address that is nobody's",
    raw: letter(),
    to: "nobody@agents.example",
    verdict: "unknown_address",
  },
  {
    name: "an address in another domain",
    raw: letter(),
    to: "desk@evil.example",
    verdict: "unknown_address",
  },
  {
    name: "a mark that is not ours",
    raw: letter(),
    to: "desk+invoice@agents.example",
    verdict: "unknown_address",
  },
  {
    name: "a mark of the right length",
    raw: letter(),
    to: `desk+${"a".repeat(28)}@agents.example`,
    verdict: "unknown_address",
  },
  { name: "an address that is none", raw: letter(), to: '"a b"@agents.example', verdict: "unknown_address" },
];

function failed(domain: string): string {
  return `mx.cloudflare.net; dkim=none; dmarc=fail header.from=${domain}; spf=fail smtp.mailfrom=x@${domain}`;
}

function bare(): string {
  return letter({
    headers: { "Message-ID": null, Date: null, Subject: null, To: null, "Content-Type": null },
  });
}

/** Each part holds the next one. */
function nested(depth: number): string {
  return letter({
    headers: { "Content-Type": `multipart/mixed; boundary=b${depth - 1}` },
    body: inner(depth),
  });
}

function inner(depth: number): string {
  let body = "Hello";
  for (let level = 0; level < depth; level += 1) {
    const type = level === 0 ? "text/plain" : `multipart/mixed; boundary=b${level - 1}`;
    body = `--b${level}\r\nContent-Type: ${type}\r\n\r\n${body}\r\n--b${level}--\r\n`;
  }
  return body;
}

function noise(): string {
  let state = 7;
  return Array.from({ length: 5_000 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return String.fromCharCode(state % 256);
  }).join("");
}

export const MAIL_CORPUS: readonly Sample[] = [...CHARSETS, ...SHAPES, ...SPOOFS, ...LOOPS, ...STRANGERS];
