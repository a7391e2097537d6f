import { describe, expect, it } from "vitest";
import { checkFile } from "../../scripts/check/architecture.mjs";
import { findImports } from "../../scripts/check/imports.mjs";

const messages = (file: string, text: string) => checkFile(file, text).map(({ message }) => message);
const lines = (count: number, line = "work();") => Array.from({ length: count }, () => line).join("\n");

describe("imports are found", () => {
  it.each([
    ["import", `import { a } from "./a.ts";`, false],
    ["import for its effect", `import "./a.ts";`, false],
    ["default and namespace import", `import a, * as b from "./a.ts";`, false],
    ["over several lines", `import {\n  a,\n  type b,\n} from "./a.ts";`, false],
    ["type import", `import type { a } from "./a.ts";`, true],
    ["re-export", `export * from "./a.ts";`, false],
    ["re-export of types", `export type { a } from "./a.ts";`, true],
    ["dynamic import", `const a = await import("./a.ts");`, false],
    ["import type expression", `type A = typeof import("./a.ts");`, true],
    ["require", `const a = require("./a.ts");`, false],
    ["behind a regular expression with a quote", `const r = /["']/;\nimport { a } from "./a.ts";`, false],
    ["inside a template", `const t = \`\${await import("./a.ts")} \\\` '\`;`, false],
  ])("%s", (_name, source, typeOnly) => {
    expect(findImports(source)).toMatchObject([{ from: "./a.ts", typeOnly }]);
  });

  it.each([
    ["comments", `// import "./a.ts"\n/* export * from "./b.ts" */`],
    ["strings", `const text = 'import "./a.ts"';`],
    ["templates", 'const text = `import "./a.ts"`;'],
    ["a value named from", `const from = "./a.ts"; send(from, "./b.ts");`],
  ])("but not in %s", (_name, source) => {
    expect(findImports(source)).toEqual([]);
  });
});

describe("imports point one way", () => {
  it.each([
    ["core/gate/queue.ts", "../../tools/index.ts"],
    ["core/gate/queue.ts", "../../workers/index.ts"],
    ["core/tool.ts", "../durable-objects/agent.ts"],
    ["core/tool.ts", "../ui/src/main.ts"],
    ["core/tool.ts", "../test/support/builders.ts"],
    ["core/tool.ts", "cloudflare:workers"],
    ["tools/mail/tool.ts", "../file-rw/tool.ts"],
    ["tools/mail/tool.ts", "../../core/limits.ts"],
    ["tools/mail/tool.ts", "../index.ts"],
    ["tools/index.ts", "../core/limits.ts"],
    ["protocols/smtp/send.ts", "../telegram/api.ts"],
    ["protocols/smtp/send.ts", "../../tools/mail/tool.ts"],
    ["core/channels/deliver.ts", "../../protocols/smtp/send.ts"],
    ["durable-objects/agent.ts", "../protocols/smtp/send.ts"],
    ["durable-objects/agent.ts", "../tools/index.ts"],
    ["durable-objects/agent.ts", "../workers/index.ts"],
    ["workers/index.ts", "../tools/mail/tool.ts"],
    ["workers/index.ts", "../ui/src/main.ts"],
    ["workers/index.ts", "../test/support/builders.ts"],
    ["ui/src/main.ts", "../../core/limits.ts"],
    ["ui/src/main.ts", "../../workers/index.ts"],
  ])("%s may not import %s", (file, from) => {
    expect(messages(file, `import { a } from "${from}";`)).toHaveLength(1);
  });

  it.each([
    ["core/gate/queue.ts", "../limits.ts"],
    ["core/gate/queue.ts", "zod"],
    ["tools/mail/tool.ts", "../../core/tool.ts"],
    ["tools/mail/tool.ts", "./inbox.ts"],
    ["tools/mail/tool.ts", "cloudflare:sockets"],
    ["tools/mail/tool.test.ts", "../../test/support/tool-contract.ts"],
    ["tools/index.ts", "./mail/tool.ts"],
    ["durable-objects/agent.ts", "../core/limits.ts"],
    ["durable-objects/agent.ts", "cloudflare:workers"],
    ["workers/index.ts", "../tools/index.ts"],
    ["workers/version.ts", "../package.json"],
    ["workers/api/health.ts", "../../durable-objects/env.ts"],
    ["workers/channels.ts", "../protocols/smtp/send.ts"],
    ["tools/mail/tool.ts", "../../protocols/smtp/send.ts"],
    ["protocols/smtp/send.ts", "../../core/limits.ts"],
    ["ui/src/main.ts", "./api.ts"],
    ["test/runtime/a.test.ts", "../../tools/mail/tool.ts"],
    ["scripts/config.mjs", "../tools/index.ts"],
  ])("%s may import %s", (file, from) => {
    expect(messages(file, `import { a } from "${from}";`)).toEqual([]);
  });

  it("lets the viewer import the Worker's types and nothing else of it", () => {
    expect(messages("ui/src/api.ts", `import type { Row } from "../../workers/api.ts";`)).toEqual([]);
  });
});

describe("sizes are bounded", () => {
  it("in lines of a file", () => {
    expect(messages("core/a.ts", lines(400))).toEqual([]);
    expect(messages("core/a.ts", lines(401))).toEqual(["has 401 lines, over 400"]);
  });

  it.each([
    ["a function", (body: string) => `function long() {${body}}`],
    [
      "a function with a generic and an object type",
      (body: string) => `function long<A>(a: A): { a: A } {${body}}`,
    ],
    ["an arrow function", (body: string) => `const long = (a: string): Promise<string> => {${body}};`],
    ["a method", (body: string) => `class A { async long(a = call()) {${body}} }`],
    ["a constructor", (body: string) => `class A { constructor() {${body}} }`],
    ["a private method", (body: string) => `class A { #long(): void {${body}} }`],
    ["a callback in a call", (body: string) => `it("is long", async () => {${body}});`],
  ])("in lines of %s", (_name, wrap) => {
    expect(messages("core/a.ts", wrap(`\n${lines(78)}\n`))).toEqual([]);
    expect(messages("core/a.ts", wrap(`\n${lines(79)}\n`))).toHaveLength(1);
  });

  it.each([
    ["a test suite", "describe('parts', () => {"],
    ["a test suite with a table", "describe.each([\n  [1],\n])('part %s', (part) => {"],
    ["an if", "if (a) {"],
    ["a loop", "for (const a of list(b)) {"],
    ["an object", "const table = call({"],
  ])("but not of %s", (_name, head) => {
    const tail = head.includes("(") && !/^(if|for)/.test(head) ? "});" : "}";
    expect(messages("test/a.test.ts", `${head}\n${lines(90)}\n${tail}`)).toEqual([]);
  });

  it.each([
    "function f(a, b, c, d) { }",
    "const f = (a: Map<string, number>, b: [x, y], c = { p, q }, d?: string) => a;",
    "const f = async (a, { b }, [c], ...d): Promise<void> => { };",
    "class A { f(a, b, c, d): void { } }",
  ])("in parameters: %s", (source) => {
    expect(messages("core/a.ts", source)).toHaveLength(1);
  });

  it.each([
    "function f(this: Env, a, b, c) { }",
    "const f = (a: Map<string, number>, b: [x, y, z], c: (p, q, r) => void) => a;",
    "const f = ({ a, b, c, d }: Options) => a;",
    "const x = ready ? call(a, b, c, d) : { a };",
    "if (call(a, b, c, d)) { }",
    'it.each([[1, 2, 3, 4]])("%s", (a, b, c, d) => { });',
  ])("without false alarm: %s", (source) => {
    expect(messages("core/a.ts", source)).toEqual([]);
  });
});

describe("nothing goes around the type checker", () => {
  it.each([
    "const a = b as string;",
    "const a = (await b()) as unknown as A;",
    "const a = { b } as A;",
    `const a = \`\${b}\` as A;`,
    "export const a = b as A;",
    "export const f = (a: A) => ({ x: a.b as C });",
    "const a = <A>b;",
    "call(<A>b);",
    "let a: any;",
    "const a: Map<any, string> = b;",
    "const a: string | any = b;",
    "function f(a: any) { }",
    "a!.b();",
    "const a = b[0]!;",
    "const a = b()!;",
    "class A { b!: string; }",
  ])("%s", (source) => {
    expect(messages("core/a.ts", source)).toHaveLength(source.includes("as unknown as") ? 2 : 1);
  });

  it.each([
    "const a = [1] as const;",
    'import { a as b } from "x";',
    'import * as a from "x";',
    'import a, { type b as c } from "x";',
    "export { a as b };",
    'export * as a from "x";',
    `type A<T> = { [K in keyof T as \`x\${K}\`]: T[K] };`,
    "const a = { as: 1 }; a.as(2);",
    "const as = 1; call(as);",
    "const f = <A>(a: A) => a;",
    "const a: Array<string> = [];",
    "if (a < b && c > d) { }",
    "const a = !b && !c(d) !== !e;",
    "return !a;",
    "const a = { any: 1, b: c.any };",
    "const text = 'a as string, b!.c: any';",
    "// a as string, b!.c: any",
  ])("without false alarm: %s", (source) => {
    expect(messages("core/a.ts", source)).toEqual([]);
  });
});

describe("the tree says what is in it, and nothing of who wrote it", () => {
  it.each(["utils", "helpers", "common", "manager"])("has no folder named %s", (folder) => {
    expect(messages(`core/${folder}/a.ts`, "")).toHaveLength(1);
    expect(messages(`core/${folder}.ts`, "")).toEqual([]);
  });

  it.each([
    `see ${["", "home", "someone", "file"].join("/")}`,
    `see ${["", "Users", "someone", "file"].join("/")}`,
    `see ${["C:", "Users", "someone"].join("\\")}`,
    `see ${process.cwd()}/file`,
    `registry=${["https:", "", "registry.example.org", ""].join("/")}`,
    `"resolved": ${JSON.stringify(["https:", "", "mirror.example.org", "a.tgz"].join("/"))}`,
  ])("has no trace of a machine: %s", (text) => {
    expect(messages("docs/a.md", text)).toHaveLength(1);
  });

  it("may name what every machine has", () => {
    expect(messages("docs/a.md", "/usr/bin/chromium, /api/health, https://example.org/home/page")).toEqual(
      [],
    );
  });
});
