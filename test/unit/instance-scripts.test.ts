import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { missingPackages } from "../../scripts/instance/bootstrap.mjs";
import { formatVars, loadVars, openAiSettings, parseVars, workerVars } from "../../scripts/instance/vars.mjs";

describe("the bootstrap knows what is missing", () => {
  const wanted = {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/a": { version: "2.0.0" },
      "node_modules/for-another-system": { version: "1.0.0", optional: true },
    },
  };

  it("nothing, when each required package has its version", () => {
    expect(missingPackages(wanted, { packages: { "node_modules/a": { version: "2.0.0" } } })).toEqual([]);
  });

  it("a package of another version, or none", () => {
    expect(missingPackages(wanted, { packages: { "node_modules/a": { version: "1.9.0" } } })).toEqual([
      "node_modules/a",
    ]);
    expect(missingPackages(wanted, {})).toEqual(["node_modules/a"]);
  });
});

describe("a vars file", () => {
  it.each([
    ["NAME=value", "value"],
    ["NAME = value # comment", "value"],
    ['NAME="two words # no comment"', "two words # no comment"],
    ["NAME='$HOME and \\n'", "$HOME and \\n"],
    ['NAME="first\\nsecond"', "first\nsecond"],
    ["NAME='first\nsecond'", "first\nsecond"],
    ["  export NAME=value", "value"],
    ["# NAME=other\r\nNAME=value\r\n", "value"],
    ["NAME=", ""],
  ])("reads %j", (text, value) => {
    expect(parseVars(text)).toEqual({ NAME: value });
  });

  it("has several values, of which the last of a name counts", () => {
    expect(parseVars("A=1\nB='2'\n\nA=3\n")).toEqual({ A: "3", B: "2" });
  });

  it("comes back from what wrangler is given, each dollar sign escaped", () => {
    const vars = {
      A: "plain",
      B: "it's",
      C: 'say "hi" `now`',
      D: `pa$$word\${X}`,
      E: "line\nline",
      F: "back\\slash\\",
    };
    const text = formatVars(vars);
    expect(text).not.toMatch(/(?<!\\)\$/);
    expect(parseVars(text.replaceAll("\\$", "$"))).toEqual(vars);
  });

  it("refuses a value that no quote can hold", () => {
    expect(() => formatVars({ A: "'\"`" })).toThrow();
  });
});

describe("the vars of an instance", () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  const quiet = () => undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-vars-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("are those of both files, and the upper one's where both have a name", async () => {
    writeFileSync(file("below"), "API_TOKEN=token-below\nBOTH=below\nONLY_BELOW=b\nTAKEN_AWAY=b\n");
    writeFileSync(file("above"), "BOTH=above\nONLY_ABOVE=a\nTAKEN_AWAY=\n");
    expect(await loadVars(file("above"), quiet, file("below"))).toEqual({
      API_TOKEN: "token-below",
      BOTH: "above",
      ONLY_BELOW: "b",
      ONLY_ABOVE: "a",
      TAKEN_AWAY: "",
    });
  });

  it("are those of the lower file alone when no other is named", async () => {
    writeFileSync(file("below"), "API_TOKEN=token-below\nNAME=value\n");
    expect(await loadVars(undefined, quiet, file("below"))).toEqual({
      API_TOKEN: "token-below",
      NAME: "value",
    });
  });

  it("take the token of the upper file, and leave the lower one as it is", async () => {
    writeFileSync(file("above"), "API_TOKEN=token-above\n");
    writeFileSync(file("below"), "NAME=value\n");
    expect(await loadVars(file("above"), quiet, file("below"))).toMatchObject({ API_TOKEN: "token-above" });
    expect(readFileSync(file("below"), "utf8")).toBe("NAME=value\n");
  });

  it("get a token that lasts, in the lower file, when neither has one", async () => {
    writeFileSync(file("above"), "API_TOKEN=\nNAME=value\n");
    const first = await loadVars(file("above"), quiet, file("below"));
    expect(first.API_TOKEN).toMatch(/^[\w-]{32}$/);
    expect(await loadVars(file("above"), quiet, file("below"))).toEqual(first);
    expect(readFileSync(file("above"), "utf8")).toBe("API_TOKEN=\nNAME=value\n");
  });

  it("need the named file to exist", async () => {
    await expect(loadVars(file("missing"), quiet, file("below"))).rejects.toThrow("PARLEY_VARS");
  });
});

describe("a model server's settings", () => {
  const vars = {
    OPENAI_API_KEY: "key-of-file",
    OPENAI_MODEL: "model-of-file",
    API_TOKEN: "token",
    OTHER: "kept",
  };

  it("come from the environment before the vars file", () => {
    expect(openAiSettings(vars, { OPENAI_API_KEY: "key-of-environment" })).toEqual({
      apiKey: "key-of-environment",
      baseUrl: undefined,
      model: "model-of-file",
    });
  });

  it("reach the Worker as the key alone, because it masks every value that it is given", () => {
    const openAi = openAiSettings(vars, { OPENAI_BASE_URL: "https://models.test/v1" });
    expect(workerVars(vars, openAi)).toEqual({
      OPENAI_API_KEY: "key-of-file",
      API_TOKEN: "token",
      OTHER: "kept",
    });
  });
});
