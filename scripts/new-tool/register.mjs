import { Problem } from "../instance/problem.mjs";

const IMPORT = /^import \{[^}]*\} from "\.\/([a-z0-9-]+)\/index\.ts";\n/gm;
const LIST = /(\n {2}return \[)([\s\S]*?)(\n? *\];)/;

/**
 * The text of tools/index.ts with one more tool. Throws a {@link Problem} when it is not the file it was.
 * @param source of tools/index.ts
 */
export function register(source, { constant, folder }) {
  if (!LIST.test(source))
    throw new Problem("tools/index.ts has no list of tools that could be added to; add the tool by hand.");
  const line = `import { ${constant} } from "./${folder}/index.ts";\n`;
  const later = [...source.matchAll(IMPORT)].find((match) => match[1] > folder);
  const at = later?.index ?? endOfImports(source);
  const imported = source.slice(0, at) + line + source.slice(at);
  return imported.replace(LIST, (_, open, items, close) => {
    const listed = items.trimEnd();
    const comma = listed === "" || listed.endsWith(",") ? "" : ",";
    return `${open}${listed}${comma}\n    ${constant},${close}`;
  });
}

function endOfImports(source) {
  const last = [...source.matchAll(/^import .*;\n/gm)].at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}
