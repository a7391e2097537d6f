/** Validation on this machine, with the schemas of the bundled tools. */
import { existsSync } from "node:fs";

const TOOLS = new URL("../../tools/index.ts", import.meta.url);

/**
 * The same check that the instance makes.
 * @returns {Promise<{ok: true, instance: object, agents: object[], warnings: object[]} | {ok: false, issues: object[]}>}
 */
export async function validate(document) {
  const [{ checkConfigFile }, { createRegistry }, tools] = await Promise.all([
    import("../../core/config/check.ts"),
    import("../../core/registry.ts"),
    bundled(),
  ]);
  return checkConfigFile(document, createRegistry(tools));
}

/** Every secret that the document refers to. */
export async function secretsIn(document) {
  const { secretNames } = await import("../../core/config/secrets.ts");
  return secretNames(document);
}

async function bundled() {
  if (!existsSync(TOOLS)) return [];
  const { bundledTools } = await import(TOOLS.href);
  return bundledTools(ABSENT_PLATFORM);
}

/** Stands for whatever the platform gives: tools may hold on to it, and only their schemas are looked at. */
const ABSENT_PLATFORM = new Proxy({}, { get: (_target, name) => absent(String(name)) });

function absent(name) {
  return new Proxy(
    {},
    {
      get(_target, key) {
        throw new Error(`${name}.${String(key)} is not there while a config is checked`);
      },
    },
  );
}
