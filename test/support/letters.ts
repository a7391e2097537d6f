/** Mails as they come in: raw text whose defaults are those of a letter that is taken. */

export const ANN = "ann@people.example";
export const DESK = "desk@agents.example";

export interface LetterSpec {
  /** Lines that replace the usual ones of that name, null leaves them out; several in a list, in that order. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: string;
  /** Domain for which the receiving server says that the sender is who it says. */
  readonly authenticated?: string | null;
}

export const RESULTS = "Authentication-Results";

/** What the receiving server writes of a sender that is who it says. */
export function passed(domain: string): string {
  return (
    `mx.cloudflare.net;\r\n dkim=pass header.d=${domain} header.s=s1 header.b=abc;\r\n` +
    ` dmarc=pass header.from=${domain} policy.dmarc=none;\r\n` +
    ` spf=none (mx.cloudflare.net: no SPF records found for postmaster@mail.${domain}) smtp.helo=mail.${domain};\r\n` +
    ` spf=pass (mx.cloudflare.net: domain of x@${domain} designates 192.0.2.1 as permitted sender) smtp.mailfrom=x@${domain};\r\n` +
    ` arc=none smtp.remote-ip=192.0.2.1`
  );
}

let letters = 0;

export function letter({ headers = {}, body = "Hello.", authenticated = "people.example" }: LetterSpec = {}) {
  letters += 1;
  const usual: Record<string, string | readonly string[] | null> = {
    Received: "from mail.people.example by cloudflare-email.net; Mon, 02 Nov 2026 09:00:00 +0000",
    [RESULTS]: authenticated === null ? null : passed(authenticated),
    From: `Ann <${ANN}>`,
    To: DESK,
    Subject: "A question",
    Date: "Mon, 02 Nov 2026 09:00:00 +0000",
    "Message-ID": `<letter-${letters}@people.example>`,
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=utf-8",
  };
  const lines = Object.entries({ ...usual, ...headers }).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((each) => `${name}: ${each}`),
  );
  return `${lines.join("\r\n")}\r\n\r\n${body.replace(/\r?\n/g, "\r\n")}`;
}

export interface PartSpec {
  readonly type: string;
  readonly content: string;
  readonly headers?: readonly string[];
}

/** A letter of several parts. */
export function letterOfParts(parts: readonly PartSpec[], spec: LetterSpec = {}): string {
  const body = parts
    .map(
      ({ type, content, headers = [] }) =>
        `--part\r\n${[`Content-Type: ${type}`, ...headers].join("\r\n")}\r\n\r\n${content}\r\n`,
    )
    .join("");
  return letter({
    ...spec,
    headers: { "Content-Type": 'multipart/mixed; boundary="part"', ...spec.headers },
    body: `${body}--part--\r\n`,
  });
}

/** An attached file. */
export function file(name: string, content: string, type = "text/plain"): PartSpec {
  return {
    type: `${type}; name="${name}"`,
    headers: [`Content-Disposition: attachment; filename="${name}"`, "Content-Transfer-Encoding: base64"],
    content: Buffer.from(content).toString("base64"),
  };
}
