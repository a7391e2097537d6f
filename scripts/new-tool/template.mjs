/** What a new tool begins with: something that works and shows where everything goes. */
import { Problem } from "../instance/problem.mjs";

const NAME = /^[A-Z][A-Za-z0-9]{0,63}$/;
const USAGE = "npm run new-tool -- Name, with a name such as PageWatch: letters and digits, a capital first.";

/**
 * The tool's names from the command line. Throws a {@link Problem} with what is right.
 * @returns {{name: string, folder: string, constant: string}}
 */
export function namesOf(argv) {
  const [name, ...rest] = argv;
  if (name === undefined || rest.length > 0) throw new Problem(`Say one name. ${USAGE}`);
  if (!NAME.test(name)) throw new Problem(`${JSON.stringify(name)} is no name for a tool. ${USAGE}`);
  const folder = name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
  const camel = folder.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  return { name, folder, constant: `${camel}Tool` };
}

export const toolSource = ({ name, constant }) => `/** ${name}: say here what it is for. */
import { z } from "zod";
import { defineTool, ok } from "../../core/tool.ts";

/** What the operator sets in the agent's config, below tools.${name}. For secrets there is \`secret()\`. */
const configSchema = z.strictObject({
  greeting: z.string().min(1).max(100).default("Hello"),
});

/** What the model may ask for. */
const inputSchema = z.strictObject({
  action: z.enum(["greet"]),
  whom: z.string().min(1).max(100).describe("Name of who is greeted."),
});

export const ${constant} = defineTool({
  name: "${name}",
  description: "Greets somebody. Say here what the model can do with it and what it gets back.",
  config: configSchema,
  input: inputSchema,
  repeatable: ["greet"],
  parallel: ["greet"],
  execute: async (input, { toolConfig, signal }) => {
    signal.throwIfAborted();
    return ok(\`\${toolConfig.greeting}, \${input.whom}!\`);
  },
});
`;

export const toolTest = ({ constant }) => `import { expect, it } from "vitest";
import { toolContext } from "../../test/support/tool-context.ts";
import { toolContract } from "../../test/support/tool-contract.ts";
import { ${constant} } from "./index.ts";

toolContract(${constant}, {
  validConfig: { greeting: "Hello" },
  validCalls: [{ args: { action: "greet", whom: "world" }, traits: { repeatable: true, parallel: true } }],
  invalidCalls: [{ args: {} }, { args: { action: "greet" } }, { args: { action: "shout", whom: "world" } }],
});

it("greets as the config says", async () => {
  const prepared = ${constant}.functions[0]?.prepare({ action: "greet", whom: "world" });
  if (!prepared?.ok) throw new Error("refused");
  const result = await prepared.execute(toolContext({ toolConfig: { greeting: "Servus" } }));
  expect(result).toEqual({ ok: true, content: "Servus, world!" });
});
`;
