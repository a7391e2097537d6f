import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkCode } from "./code-rules.mjs";
import { checkImports } from "./import-rules.mjs";
import { checkPath, checkTraces } from "./tree-rules.mjs";

const code = /\.(ts|tsx|mts|mjs|js)$/;
const binary = /\.(png|jpg|ico|woff2?|pdf|db|sqlite)$/;

/** All rules on one file: a list of `{line, message}`. */
export function checkFile(file, text) {
  const rules = code.test(file)
    ? [...checkImports(file, text), ...checkCode(text, file.endsWith(".tsx"))]
    : [];
  return [...checkPath(file), ...rules, ...checkTraces(text)].sort((a, b) => a.line - b.line);
}

/** All rules on every file of the repository, tracked or about to be: a list of `file:line message`. */
export function checkRepository(root) {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  const files = list
    .toString()
    .split("\0")
    .filter((file) => file !== "" && !binary.test(file));
  return files
    .filter((file) => existsSync(join(root, file)))
    .flatMap((file) =>
      checkFile(file, readFileSync(join(root, file), "utf8")).map(
        ({ line, message }) => `${file}:${line} ${message}`,
      ),
    );
}
