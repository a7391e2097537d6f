import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkConfigFile } from "../../core/config/check.ts";
import { isRecord } from "../../core/config/raw.ts";
import { exampleTools, validFile } from "../support/config-documents.ts";

const tools = exampleTools();
const SENTINEL = "sentinel-7b1f09";

type Segment = string | number;

/** Paths of all values of a document, the whole first. */
function placesIn(value: unknown, base: readonly Segment[] = []): Segment[][] {
  const children: [Segment, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return [[...base], ...children.flatMap(([key, item]) => placesIn(item, [...base, key]))];
}

/** A copy with the value at the path replaced by what `change` makes of it; `undefined` removes it. */
function changedAt(value: unknown, path: readonly Segment[], change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (index === key ? keep(changedAt(item, rest, change)) : [item]));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      keep(name === key ? changedAt(item, rest, change) : item).map((kept) => [name, kept]),
    ),
  );
}

const keep = (value: unknown) => (value === undefined ? [] : [value]);

const extraKey = fc.oneof(
  fc.string(),
  fc.constantFrom("$secret", "constructor", "toString", "a.b", "approve"),
);
const change = fc.oneof(
  fc.jsonValue().map((json) => () => json),
  fc.constant(() => undefined),
  fc.constant(() => SENTINEL),
  fc.tuple(extraKey, fc.jsonValue()).map(
    ([key, json]) =>
      (old: unknown) =>
        isRecord(old) ? { ...old, [key]: json } : json,
  ),
  fc.constant((old: unknown) => (Array.isArray(old) ? [...old, ...old] : [old])),
);

const mutatedFile = fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 4 }).map((changes) =>
  changes.reduce<unknown>((file, [pick, make]) => {
    const places = placesIn(file);
    return changedAt(file, places[pick % places.length] ?? [], make);
  }, validFile()),
);

function segmentsOf(path: string): Segment[] {
  const pattern = /\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|\.?([^.[\]]+)/gy;
  return [...path.matchAll(pattern)].map(([, quoted, index, plain]) =>
    quoted !== undefined ? String(JSON.parse(quoted)) : index !== undefined ? Number(index) : (plain ?? ""),
  );
}

/** Whether all but the last segment of the path exist, so that the last is there or is the missing key. */
function leadsSomewhere(document: unknown, path: string): boolean {
  let place: unknown = document;
  for (const segment of segmentsOf(path)) {
    if (typeof place !== "object" || place === null) return false;
    place = new Map<Segment, unknown>(Array.isArray(place) ? place.entries() : Object.entries(place)).get(
      segment,
    );
  }
  return true;
}

describe("any damage to a valid file", { timeout: 60_000 }, () => {
  it("is answered, and every issue's path exists or names the missing key", () => {
    fc.assert(
      fc.property(mutatedFile, (file) => {
        const checked = checkConfigFile(file, tools);
        for (const { path, message } of checked.ok ? checked.warnings : checked.issues) {
          expect(leadsSomewhere(file, path), `${path}: ${message}`).toBe(true);
          expect(message).not.toBe("");
        }
        if (!checked.ok) expect(checked.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it("L5 is never described by repeating the value that stood there", () => {
    fc.assert(
      fc.property(fc.nat(), (pick) => {
        const places = placesIn(validFile());
        const file = changedAt(validFile(), places[pick % places.length] ?? [], () => SENTINEL);
        const checked = checkConfigFile(file, tools);
        if (!checked.ok) expect(JSON.stringify(checked.issues)).not.toContain(SENTINEL);
      }),
    );
  });

  it("apart: a checked file checks again to the same documents", () => {
    fc.assert(
      fc.property(mutatedFile, (file) => {
        const checked = checkConfigFile(file, tools);
        fc.pre(checked.ok);
        const { instance, agents } = checked;
        expect(checkConfigFile({ instance, agents }, tools)).toEqual(checked);
      }),
      { numRuns: 30, maxSkipsPerRun: 1_000 },
    );
  });
});
