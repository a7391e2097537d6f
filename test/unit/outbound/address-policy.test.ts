import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressName, isAllowEntry, judgeAddress } from "../../../core/outbound/address-policy.ts";

const codeOf = (address: string, allow: readonly string[] = []) => {
  const verdict = judgeAddress(address, allow);
  return verdict.ok ? "ok" : verdict.code;
};

/** Forms in which published attacks have written addresses that a server must not reach. */
const PRIVATE = `
http://127.0.0.1/ https://127.0.0.1/ https://127.1/ https://127.0.1/ https://0/ https://0.0.0.0/ https://0.0.0.0:443/
https://2130706433/ https://0x7f000001/ https://0x7f.1/ https://017700000001/ https://0177.0.0.1/ https://0x7f.0x0.0x0.0x1/
https://127.0.0.1./ https://127.127.127.127/ https://%31%32%37.0.0.1/ https://１２７.0.0.1/ https://①②⑦.0.0.1/ https://127。0。0。1/
https://10.0.0.1/ https://10.255.255.255/ https://167772161/ https://012.1.2.3/ https://172.16.0.1/ https://172.31.255.255/
https://192.168.1.1/ https://192.168.0.1:8443/ https://3232235777/ https://100.64.0.1/ https://100.127.255.255/
https://169.254.169.254/latest/meta-data/ https://2852039166/ https://0xa9fea9fe/ https://0251.0376.0251.0376/ https://0xa9.0xfe.0xa9.0xfe/
https://100.100.100.200/ https://192.0.0.192/ https://168.63.129.16/ https://198.18.0.1/ https://192.0.2.1/ https://203.0.113.7/
https://224.0.0.1/ https://239.255.255.255/ https://240.0.0.1/ https://255.255.255.255/
https://[::1]/ https://[::]/ https://[0:0:0:0:0:0:0:1]/ https://[0000::1]:443/ https://[::127.0.0.1]/ https://[::ffff:127.0.0.1]/
https://[::ffff:7f00:1]/ https://[::ffff:a9fe:a9fe]/ https://[::ffff:0:127.0.0.1]/ https://[::10.0.0.1]/ https://[::ffff:8.8.8.8]/
https://[64:ff9b::7f00:1]/ https://[64:ff9b::10.0.0.1]/ https://[64:ff9b:1::1]/ https://[2002:7f00:1::]/ https://[2002:a00:1::1]/
https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/ https://[2001:db8::1]/ https://[3fff::1]/ https://[100::1]/ https://[5f00::1]/
https://[fc00::1]/ https://[fd00:ec2::254]/ https://[fdff::]/ https://[fe80::1]/ https://[febf::1]/ https://[fec0::1]/ https://[ff02::1]/
https://[ff0e::1]/ https://[4000::1]/
`;

const LOCAL = `
https://localhost/ https://LOCALHOST/ https://localhost./ https://localhost.../ https://a.localhost/ https://a.b.localhost./
https://ｌｏｃａｌｈｏｓｔ/ https://printer.local/ https://metadata.google.internal/ https://METADATA.google.internal./
https://instance-data.ec2.internal/ https://metadata/ https://kubernetes/ https://kubernetes.default.svc.cluster.local/
https://router.home.arpa/ https://nas.lan/ https://wiki.intranet/ https://x.corp/ https://x.localdomain/ https://metadata.goog/
https://127.0.0.1.nip.io/ https://10-0-0-1.sslip.io/ https://app.localtest.me/ https://lvh.me/ https://1.0.0.127.in-addr.arpa/
`;

const OTHERS: readonly (readonly [string, string])[] = [
  ["https://user@example.com/", "user_info"],
  ["https://:pass@example.com/", "user_info"],
  ["https://example.com:pass@127.0.0.1/", "user_info"],
  ["https://127.0.0.1\\@example.com/", "private_address"],
  ["https://example.com@evil.example/", "user_info"],
  ["file:///etc/passwd", "scheme"],
  ["ftp://example.com/", "scheme"],
  ["gopher://127.0.0.1:6379/_INFO", "scheme"],
  ["data:text/plain,x", "scheme"],
  ["javascript:alert(1)", "scheme"],
  ["ws://example.com/", "scheme"],
  ["blob:https://example.com/x", "scheme"],
  ["//example.com/x", "not_a_url"],
  ["example.com", "not_a_url"],
  ["", "not_a_url"],
  ["https://", "not_a_url"],
  ["https://[::1%25eth0]/", "not_a_url"],
  ["https://1.2.3.4.5/", "not_a_url"],
  ["https://0x7f.0.0.256/", "not_a_url"],
  ["https://exa mple.com/", "not_a_url"],
  ["https://example.com:22/", "port"],
  ["https://example.com:25/", "port"],
  ["https://example.com:6379/", "port"],
  ["https://example.com:3306/", "port"],
  ["https://8.8.8.8:27017/", "port"],
  ["http://example.com/", "not_encrypted"],
  ["http://8.8.8.8/", "not_encrypted"],
];

const words = (text: string) => text.trim().split(/\s+/);

describe("an outgoing address", () => {
  it.each(words(PRIVATE))("%s is no public address", (address) => {
    expect(codeOf(address)).toBe("private_address");
  });

  it.each(words(LOCAL))("%s is a local name", (address) => {
    expect(codeOf(address)).toBe("local_name");
  });

  it.each(OTHERS)("%s is refused: %s", (address, code) => {
    expect(codeOf(address)).toBe(code);
  });

  it.each(
    words(`https://example.com/ https://EXAMPLE.com./x?y#z https://example.com:8443/ https://bücher.example/ https://8.8.8.8/
      https://[2606:4700:4700::1111]/ https://[2a00:1450:4001:81b::200e]:8443/ https://172.32.0.1/ https://172.15.255.255/
      https://100.128.0.1/ https://169.253.0.1/ https://localhost.example.com/ https://mylocal.com/ https://internal.example.com/
      https://notlvh.me/ https://223.255.255.255/ https://11.0.0.1/`),
  )("%s is reached", (address) => {
    expect(codeOf(address)).toBe("ok");
  });

  it("is never an IPv4 address of a private block, however its number is written", () => {
    const blocks = [
      { first: 0x0a000000, size: 2 ** 24 },
      { first: 0x7f000000, size: 2 ** 24 },
      { first: 0xa9fe0000, size: 2 ** 16 },
      { first: 0xac100000, size: 2 ** 20 },
      { first: 0xc0a80000, size: 2 ** 16 },
      { first: 0x64400000, size: 2 ** 22 },
    ];
    const address = fc
      .constantFrom(...blocks)
      .chain(({ first, size }) => fc.integer({ min: first, max: first + size - 1 }));
    fc.assert(
      fc.property(address, fc.constantFrom(...SPELLINGS), (number, spell) => {
        expect(codeOf(`https://${spell(number)}/`)).toBe("private_address");
      }),
    );
  });

  it("is an IPv6 address only within what the internet uses", () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const address = fc.tuple(group, group, group, group, group, group, group, group);
    fc.assert(
      fc.property(address, (groups) => {
        const [first] = groups;
        fc.pre(first < 0x2000 || first > 0x3fff);
        expect(codeOf(`https://[${groups.map((each) => each.toString(16)).join(":")}]/`)).toBe(
          "private_address",
        );
      }),
    );
  });

  it("is refused in a sentence that tells nothing but the host", () => {
    const verdict = judgeAddress("https://10.0.0.1/hooks/s3cr3t?token=t0k3n", []);
    expect(JSON.stringify(verdict)).not.toMatch(/s3cr3t|t0k3n/);
    expect(addressName(new URL("https://example.com:8443/s3cr3t?t0k3n"))).toBe("https://example.com:8443");
  });
});

const bytes = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
const hex = (number: number) => number.toString(16);
const SPELLINGS: readonly ((number: number) => string)[] = [
  (number) => bytes(number).join("."),
  (number) => String(number),
  (number) => `0x${hex(number)}`,
  (number) => `0${number.toString(8)}`,
  (number) =>
    bytes(number)
      .map((byte) => `0${byte.toString(8)}`)
      .join("."),
  (number) =>
    bytes(number)
      .map((byte) => `0X${hex(byte)}`)
      .join("."),
  (number) => `${number >>> 24}.${number & 0xffffff}`,
  (number) => `${bytes(number).join(".")}.`,
  (number) => `[::ffff:${bytes(number).join(".")}]`,
  (number) => `[::${bytes(number).join(".")}]`,
  (number) => `[64:ff9b::${bytes(number).join(".")}]`,
  (number) => `[2002:${hex(number >>> 16)}:${hex(number & 0xffff)}::1]`,
];

describe("what the operator allows by name", () => {
  it("is reached at that port only, encrypted or not", () => {
    const allow = ["intranet.example:8443", "127.0.0.1:9000", "[::1]:9000", "[fd00::5]"];
    expect(codeOf("https://intranet.example:8443/", allow)).toBe("ok");
    expect(codeOf("http://Intranet.Example.:8443/", allow)).toBe("ok");
    expect(codeOf("http://intranet.example/", allow)).toBe("not_encrypted");
    expect(codeOf("http://127.0.0.1:9000/", allow)).toBe("ok");
    expect(codeOf("http://2130706433:9000/", allow)).toBe("ok");
    expect(codeOf("http://127.0.0.1:9001/", allow)).toBe("private_address");
    expect(codeOf("http://127.0.0.2:9000/", allow)).toBe("private_address");
    expect(codeOf("http://[0::1]:9000/", allow)).toBe("ok");
    expect(codeOf("http://[fd00::5]/", allow)).toBe("ok");
    expect(codeOf("http://sub.intranet.example:8443/", allow)).toBe("not_encrypted");
  });

  it("opens a dangerous port only together with it", () => {
    expect(codeOf("http://db.example:6379/", ["db.example"])).toBe("port");
    expect(codeOf("http://db.example:6379/", ["db.example:6379"])).toBe("ok");
  });

  it("never lets a user name through", () => {
    expect(codeOf("https://user@intranet.example/", ["intranet.example"])).toBe("user_info");
  });

  it.each(words("intranet intranet.example:8443 127.0.0.1:1 [::1]:8080 [fd00::1] bücher.example"))(
    "can be written as %s",
    (entry) => expect(isAllowEntry(entry)).toBe(true),
  );

  it.each([
    "",
    "https://x.example",
    "x.example/",
    "x.example:0",
    "x.example:99999",
    "*",
    "a b",
    "u@x",
    "::1",
  ])("cannot be written as %j", (entry) => expect(isAllowEntry(entry)).toBe(false));
});
