import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configSchema } from "./config.ts";
import { checkPath, extensionOf, MAX_PATH_BYTES, MAX_SEGMENT_BYTES, type PathFault } from "./path.ts";

const verdict = (raw: string) => {
  const checked = checkPath(raw);
  return checked.ok ? "ok" : checked.code;
};

const attacks: readonly (readonly [PathFault, readonly string[]])[] = [
  ["empty", [""]],
  [
    "too_long",
    [`${"a/".repeat(MAX_PATH_BYTES / 2)}a`, "x".repeat(MAX_SEGMENT_BYTES + 1), "\u{1f4c4}".repeat(64)],
  ],
  ["malformed", ["a\ud800.txt", "\udc00/a.txt"]],
  [
    "control_character",
    [
      "a\0.txt",
      "a.exe\0.txt",
      "../\0a.txt",
      "a\n.txt",
      "a\r.txt",
      "a\tb.txt",
      "\x1b[2J.txt",
      "a\x7f.txt",
      "a\x85.txt",
      "a\u2028.txt",
      "a\u2029.txt",
      "\xc0\x80.txt",
      "\xe0\x80\xae/a.txt",
    ],
  ],
  [
    "invisible_character",
    [
      "a\u200b.txt",
      "a\u200d.txt",
      "\u200e.txt",
      "gpj\u202etxt.exe",
      "a\u2066b\u2069.txt",
      "\ufeffa.txt",
      ".\u200b./a.txt",
      "a\u00ad.txt",
      "a\u00a0.txt",
      "a\u3000.txt",
      "\u3164.txt",
      "a\ufe0f.txt",
      "a\u{e0041}.txt",
      "a\ue000.txt",
      "a\uffff.txt",
      "a\u2800.txt",
      "a\u180e.txt",
      "a\u034f.txt",
    ],
  ],
  [
    "backslash",
    [
      "..\\a.txt",
      "a\\b.txt",
      "\\\\server\\share\\a.txt",
      "C:\\a.txt",
      "..\\/a.txt",
      "\\u002e\\u002e/a.txt",
      "\\x2e\\x2e/a.txt",
      "\\a.txt",
    ],
  ],
  [
    "encoded",
    [
      "%2e%2e/a.txt",
      "%2E%2E%2Fa.txt",
      "..%2fa.txt",
      "..%5ca.txt",
      "%252e%252e%252fa.txt",
      "%25252e/a.txt",
      "%c0%ae%c0%ae/a.txt",
      "%c0%afa.txt",
      "%e0%80%ae/a.txt",
      "%f0%80%80%ae/a.txt",
      "%u002e%u002e/a.txt",
      "%uff0e/a.txt",
      "a.exe%00.txt",
      "%00a.txt",
      "%%32%65/a.txt",
      "a%0a.txt",
      "\xc0\xae\xc0\xae/a.txt",
      "\xc0\xafetc/a.txt",
    ],
  ],
  [
    "lookalike",
    [
      "\u2024\u2024/a.txt",
      "\uff0e\uff0e/a.txt",
      "\u2025/a.txt",
      "\u2026/a.txt",
      "\ufe52\ufe52/a.txt",
      "\u3002\u3002/a.txt",
      "..\u2215a.txt",
      "..\uff0fa.txt",
      "..\u2044a.txt",
      "..\u29f8a.txt",
      "..\uff3ca.txt",
      "..\u2216a.txt",
      "..\ufe68a.txt",
      "\uff052e/a.txt",
      "\ufe6a2e/a.txt",
      "C\uff1aa.txt",
      "C\ua789a.txt",
      "a\uff0etxt",
      "a\u2024txt",
      "\u2488a.txt",
      "a\u2100b.txt",
      "a\u0338.txt",
    ],
  ],
  ["absolute", ["/", "/etc/a.txt", "//server/share/a.txt", "/../a.txt", "///a.txt", "/\u0301a.txt"]],
  [
    "reserved_character",
    [
      "C:a.txt",
      "C:/a.txt",
      "file:///a.txt",
      "a.txt:stream",
      "a.txt::$DATA",
      "//?/C:/a.txt".slice(2),
      "a*.txt",
      "a?.txt",
      "<a>.txt",
      'a".txt',
      "a|b.txt",
      "https://host/a.txt",
    ],
  ],
  ["empty_segment", ["a//b.txt", "a/", "a.txt/", "a///b.txt"]],
  [
    "traversal",
    [
      "..",
      ".",
      "../a.txt",
      "./a.txt",
      "a/../b.txt",
      "a/./b.txt",
      "a/..",
      "a/../../b.txt",
      "../../../../etc/passwd.txt",
      "....//a.txt",
      "...",
      ".../a.txt",
      "a/.. /b.txt",
      "a/. ./b.txt",
      "..;/a.txt",
      "..a/b.txt",
      " /a.txt",
      "a/ /b.txt",
      "..\u0301/a.txt",
    ],
  ],
  ["home", ["~", "~/a.txt", "~root/a.txt", "a/~/b.txt", "\uff5e/a.txt"]],
  [
    "outer_space_or_dot",
    ["a.txt.", "a.txt ", "a.txt. ", "a.txt..", "a./b.txt", "a /b.txt", " a.txt", "a/ b.txt"],
  ],
  [
    "device_name",
    [
      "CON",
      "con.txt",
      "NUL.txt",
      "nul",
      "aux.md",
      "PRN.txt",
      "COM1.txt",
      "com\u00b9.txt",
      "LPT9.a.txt",
      "a/nul.txt",
      "CONIN$.txt",
      "conout$",
      "CLOCK$.txt",
      "con .txt",
      "\uff23\uff2f\uff2e.txt",
      "com0",
    ],
  ],
];

const harmless = [
  "a.txt",
  "A.TXT",
  "notes/2026/plan v1.2.md",
  "Rückfrage - Angebot (2).txt",
  "报告/数据.csv",
  "отчёт.txt",
  "😀.txt",
  "l·l.txt",
  "½ Seite.txt",
  "100%.txt",
  "50% off.txt",
  "report~1.txt",
  "v1..v2.txt",
  ".config/a.txt",
  "a.b/c.d.txt",
  "console.txt",
  "com10.txt",
  "nulls.txt",
  "#1 & more; $x = 'y', [z] {w} + !.txt",
  "constructor/__proto__.txt",
];

describe("the path guard", () => {
  it.each(
    attacks.flatMap(([code, paths]) => paths.map((path) => [JSON.stringify(path), path, code] as const)),
  )("refuses %s", (_shown, path, code) => {
    expect(verdict(path)).toBe(code);
  });

  it.each(harmless)("lets %j through as it is", (path) => {
    expect(checkPath(path)).toEqual({ ok: true, path });
  });

  it("takes decomposed letters for the composed ones, so that one name is one file", () => {
    expect(checkPath("Mu\u0308ller.txt")).toEqual({ ok: true, path: "M\u00fcller.txt" });
    expect(checkPath("\u212b/a.txt")).toEqual(checkPath("A\u030a/a.txt"));
  });

  it("lets a path of just the allowed length through", () => {
    const longest = `${"x".repeat(MAX_SEGMENT_BYTES)}/`.repeat(3).slice(0, MAX_PATH_BYTES);
    expect([verdict(longest), verdict(`${longest}x`)]).toEqual(["ok", "too_long"]);
  });

  it("never lets through what resolves to another place, whatever the pieces", () => {
    const piece = fc.constantFrom(
      ...[
        "..",
        ".",
        "/",
        "\\",
        "%2e",
        "%2f",
        "%",
        "2e",
        "\0",
        " ",
        "~",
        "a",
        "b.txt",
        ":",
        "\u200b",
        "\uff0e",
        "\u2215",
        "\u0338",
        "C",
        "é",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const checked = checkPath(pieces.join(""));
        if (!checked.ok) return;
        const root = "https://host/root/";
        for (const form of [checked.path, checked.path.normalize("NFKC"), decoded(checked.path)]) {
          expect(new URL(form, root).href.startsWith(root)).toBe(true);
          expect(form.split(/[\\/]/)).not.toContain("..");
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives the same answer for what it has let through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (raw) => {
        const checked = checkPath(raw);
        if (checked.ok) expect(checkPath(checked.path)).toEqual(checked);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a path's extension", () => {
  const extensions: readonly (readonly [string, string | null])[] = [
    ["a.txt", ".txt"],
    ["A.TXT", ".txt"],
    ["a.tXt", ".txt"],
    ["a.txt.exe", ".exe"],
    ["a.exe.txt", ".txt"],
    ["folder.txt/a", null],
    ["folder.txt/a.exe", ".exe"],
    [".txt", null],
    ["a/.txt", null],
    ["a", null],
    ["a.", null],
    ["a.txt.", null],
    ["a.txt ", null],
    ["a.tx\u0131", null],
    ["a.\u0131n\u0131", null],
    ["a.\u0130N\u0130", null],
    ["a.m\u212ad", null],
    ["a.t\u0445t", null],
    ["a.\uff54\uff58\uff54", null],
    ["a.txt\u0301", null],
    ["a.txt\n", null],
    ["a.exe\0.txt", ".txt"],
  ];
  it.each(extensions)("of %j is %j", (path, expected) => {
    expect(extensionOf(path)).toBe(expected);
  });
});

describe("the config of FileRW", () => {
  it("allows no writing and a few kinds of plain text by default", () => {
    expect(configSchema.parse({ rootPath: "analyst" })).toEqual({
      rootPath: "analyst",
      allowWrite: false,
      allowedExtensions: [".txt", ".md", ".csv", ".json"],
    });
  });

  it("compares extensions in lower case", () => {
    const config = configSchema.parse({ rootPath: "a", allowedExtensions: [".TXT", ".Md"] });
    expect(config.allowedExtensions).toEqual([".txt", ".md"]);
  });

  it.each([
    "",
    ".",
    "..",
    "/",
    "/analyst",
    "analyst/",
    "a//b",
    "a/../b",
    "%2e%2e",
    "a\\b",
    "a\0",
    "~",
    "C:",
    "\uff0e\uff0e",
    "nul",
    "x".repeat(65),
  ])("refuses %j as rootPath, at that path", (rootPath) => {
    const parsed = configSchema.safeParse({ rootPath });
    expect(parsed.error?.issues.map((issue) => issue.path)).toEqual([["rootPath"]]);
  });

  it.each(["txt", ".", "", ".t.xt", "*", ".*", ".tx t", ".tx\u0131", "../.txt", ".txt "])(
    "refuses %j as an extension",
    (extension) => {
      const parsed = configSchema.safeParse({ rootPath: "a", allowedExtensions: [extension] });
      expect(parsed.error?.issues.map((issue) => issue.path)).toEqual([["allowedExtensions", 0]]);
    },
  );
});

/** As a careless reader of the path would decode it. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
