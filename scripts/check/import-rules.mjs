import { posix } from "node:path";
import { findImports } from "./imports.mjs";

const isTest = (file) => file.startsWith("test/") || /\.test\.[a-z]+$/.test(file);

/**
 * Who may import whom. The first rule whose `files` fits decides. `inside` lists what of this repository may
 * be imported; packages are free unless `packages` says otherwise. `types` may be imported as types only.
 */
const rules = [
  { files: (file) => isTest(file), inside: /./ },
  { files: /^core\//, inside: /^core\//, packages: (name) => !name.startsWith("cloudflare:") },
  { files: /^tools\/[^/]+$/, inside: /^(core\/tool\.ts$|tools\/[^/]+\/)/ },
  { files: /^tools\//, inside: /^(core\/tool\.ts$|protocols\/)/, ownFolder: true },
  { files: /^protocols\//, inside: /^core\//, ownFolder: true },
  { files: /^durable-objects\//, inside: /^(core|durable-objects)\// },
  {
    files: /^workers\//,
    inside: /^(core\/|durable-objects\/|protocols\/|workers\/|tools\/index\.ts$|package\.json$)/,
  },
  { files: /^ui\//, inside: /^ui\//, types: /^workers\// },
];

/**
 * @param file path from the root, with slashes
 * @returns a list of `{line, message}`
 */
export function checkImports(file, source) {
  const rule = rules.find(({ files }) => (typeof files === "function" ? files(file) : files.test(file)));
  if (rule === undefined) return [];
  return findImports(source).flatMap((found) => {
    const problem = problemOf(rule, file, found);
    return problem === null ? [] : [{ line: found.line, message: problem }];
  });
}

function problemOf(rule, file, { from, typeOnly }) {
  if (!from.startsWith(".") && !from.startsWith("/")) {
    return rule.packages?.(from) === false ? `must not import ${from}` : null;
  }
  const target = posix.normalize(posix.join(posix.dirname(file), from));
  const own = rule.ownFolder && target.startsWith(`${file.split("/").slice(0, 2).join("/")}/`);
  if (own || rule.inside.test(target) || (typeOnly && rule.types?.test(target))) return null;
  return `must not import ${target}${rule.types?.test(target) ? " other than its types" : ""}`;
}
