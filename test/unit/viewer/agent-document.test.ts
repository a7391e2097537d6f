import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commonFields, formatDocument, parseDocument, withFields } from "../../../ui/src/agents/document.ts";
import { findPlaces, lineOfPath } from "../../../ui/src/agents/json-places.ts";

const text = `{
  "agentId": "clerk",
  "model": {
    "provider": "scripted"
  },
  "tools": {
    "FileRW": { "rootPath": "/" },
    "odd key": {}
  },
  "scheduler": [
    { "cron": "* * * * *" },
    {
      "cron": "no"
    }
  ]
}`;

describe("the places of a document", () => {
  it.each([
    ["agentId", 1],
    ["model.provider", 3],
    ["tools.FileRW.rootPath", 6],
    ['tools["odd key"]', 7],
    ["scheduler[0].cron", 10],
    ["scheduler[1].cron", 12],
    ["scheduler[1]", 11],
  ])("%s stands in line %i, counted from 0", (path, line) => {
    expect(lineOfPath(text, path)).toBe(line);
  });

  it("is, for what is missing, what should contain it", () => {
    expect(lineOfPath(text, "model.name")).toBe(2);
    expect(lineOfPath(text, "scheduler[1].taskMessage")).toBe(11);
    expect(lineOfPath(text, "systemPrompt")).toBeNull();
  });

  it.each([
    ['{ "a": 1, }', 10],
    ['{ "a" 1 }', 6],
    ["[1 2]", 3],
    ['{ "a": "b', 7],
    ["{} x", 3],
    ["", 0],
    ["[01]", 2],
  ])("%s stops being JSON at %i", (broken, offset) => {
    expect(findPlaces(broken)).toEqual({ ok: false, offset });
  });

  it("takes exactly what is JSON", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(findPlaces(json).ok).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, at, put) => {
        const changed = json.slice(0, at % (json.length + 1)) + put + json.slice(at % (json.length + 1));
        expect(findPlaces(changed).ok).toBe(isJson(changed));
      }),
    );
  });
});

describe("the form of a document", () => {
  it("changes the fields it shows and nothing else", () => {
    const document = parseDocument(text) ?? {};
    const changed = withFields(document, { name: "Clerk", model: "m", colleagues: " a, b,," });
    expect(commonFields(changed)).toMatchObject({ name: "Clerk", model: "m", colleagues: "a, b" });
    const { name: _, colleagues: __, model, ...rest } = changed;
    expect(model).toEqual({ provider: "scripted", name: "m" });
    expect({ ...rest, model: document.model }).toEqual(document);
  });

  it("reads back what it has written", () => {
    expect(parseDocument(formatDocument({ a: [1] }))).toEqual({ a: [1] });
    for (const broken of ["[]", "1", "{", "null"]) expect(parseDocument(broken)).toBeNull();
  });
});

function isJson(candidate: string): boolean {
  try {
    JSON.parse(candidate);
    return true;
  } catch {
    return false;
  }
}
