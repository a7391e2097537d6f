import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAccumulator, type RawAnswer } from "../../core/model/accumulator.ts";
import { createEventParser } from "../../core/model/events.ts";
import { parseUsage } from "../../core/model/usage.ts";

function accumulate(pieces: readonly unknown[]): { answer: RawAnswer; heard: string[] } {
  const heard: string[] = [];
  const accumulator = createAccumulator((piece) => heard.push(piece));
  for (const piece of pieces) accumulator.push(piece);
  return { answer: accumulator.answer(), heard };
}

const delta = (content: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: content, finish_reason }],
});

interface Written {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { id: string; name: string; arguments: string }[];
}

const written: fc.Arbitrary<Written> = fc.record({
  text: fc.string({ unit: "grapheme", maxLength: 30 }),
  reasoning: fc.string({ maxLength: 20 }),
  calls: fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^call_[a-z0-9]{1,8}$/),
      name: fc.stringMatching(/^[a-z_]{1,8}$/),
      arguments: fc
        .dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })
        .map((args) => JSON.stringify(args)),
    }),
    { selector: ({ id }) => id, maxLength: 4 },
  ),
});

/** Cuts a text at the given places (fractions of its length); the pieces join to the text. */
function cut(text: string, places: readonly number[]): string[] {
  const at = places.map((place) => Math.floor(place * text.length)).sort((a, b) => a - b);
  return [0, ...at].map((from, position) => text.slice(from, at[position] ?? text.length));
}

/** How a provider names the call that a delta belongs to, after the call's first delta. */
type Naming = "index" | "id" | "last";

function callDeltas(
  call: Written["calls"][number],
  at: { readonly index: number; readonly places: readonly number[]; readonly naming: Naming },
) {
  const { index, places, naming } = at;
  const place = naming === "index" ? { index } : {};
  const [first = "", ...rest] = cut(call.arguments, places);
  return [
    { ...place, id: call.id, type: "function", function: { name: call.name, arguments: first } },
    ...rest.map((args) => ({
      ...place,
      ...(naming === "id" ? { id: call.id } : {}),
      function: { arguments: args },
    })),
  ];
}

function streamOf(message: Written, places: readonly number[], naming: Naming) {
  return [
    delta({ role: "assistant", content: "" }),
    ...cut(message.reasoning, places).map((reasoning_content) => delta({ reasoning_content })),
    ...cut(message.text, places).map((content) => delta({ content })),
    ...message.calls
      .flatMap((call, index) => callDeltas(call, { index, places, naming }))
      .map((call) => delta({ tool_calls: [call] })),
    delta({}, "stop"),
  ];
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
const naming = fc.constantFrom<Naming>("index", "id", "last");

describe("the accumulator", () => {
  it("gives the same answer however a stream is split, and however its deltas name their call", () => {
    fc.assert(
      fc.property(written, cuts, naming, (message, places, how) => {
        const { answer, heard } = accumulate(streamOf(message, places, how));
        expect(answer).toMatchObject({ ...message, seen: true, finishReason: "stop" });
        expect(heard.join("")).toBe(message.text);
      }),
    );
  });

  it("gives the same answer for a whole completion as for its stream", () => {
    fc.assert(
      fc.property(written, cuts, (message, places) => {
        const tool_calls = message.calls.map(({ id, ...named }) => ({
          id,
          type: "function",
          function: named,
        }));
        const content = { content: message.text, reasoning_content: message.reasoning, tool_calls };
        const completion = { choices: [{ message: content, finish_reason: "stop" }] };
        expect(accumulate([completion]).answer).toEqual(
          accumulate(streamOf(message, places, "index")).answer,
        );
      }),
    );
  });

  it("puts interleaved calls together by their index", () => {
    const calls = [
      { id: "a", name: "f", arguments: '{"x":"one"}' },
      { id: "b", name: "g", arguments: '{"y":"two"}' },
    ];
    const [first = [], second = []] = calls.map((call, index) =>
      callDeltas(call, { index, places: [0.3, 0.6], naming: "index" }),
    );
    const mixed = first.flatMap((piece, position) => [piece, second[position]]);
    const { answer } = accumulate(mixed.map((call) => delta({ tool_calls: [call] })));
    expect(answer.calls).toEqual(calls);
  });

  it("keeps calls without ids apart that share an index", () => {
    const whole = (name: string, args: string) =>
      delta({ tool_calls: [{ index: 0, function: { name, arguments: args } }] });
    const { answer } = accumulate([whole("f", '{"x":1}'), whole("f", '{"x":2}'), whole("g", "{}")]);
    expect(answer.calls.map((call) => call.arguments)).toEqual(['{"x":1}', '{"x":2}', "{}"]);
  });

  it("ignores a name that is repeated in each delta, and an empty last delta", () => {
    const part = (args: string) =>
      delta({ tool_calls: [{ index: 0, function: { name: "f", arguments: args } }] });
    const nothing = delta({ tool_calls: [{ index: 0, id: null, function: { name: null, arguments: "" } }] });
    const { answer } = accumulate([part('{"x"'), part(":1}"), nothing]);
    expect(answer.calls).toEqual([{ id: "", name: "f", arguments: '{"x":1}' }]);
  });

  it("survives anything", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const hostile = values.flatMap((value) => [
          value,
          { choices: value },
          { choices: [value] },
          delta({ tool_calls: value, content: value, refusal: value }),
          delta({ tool_calls: [value, { function: value }, { index: value, id: value }] }),
          { usage: value, response: value, tool_calls: value },
        ]);
        expect(() => accumulate(hostile)).not.toThrow();
      }),
    );
  });
});

describe("the event parser", () => {
  it("finds the same events however the text is split, with any line ending", () => {
    const data = fc.array(
      fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text)),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(data, cuts, fc.constantFrom("\n", "\r", "\r\n"), (payloads, places, line) => {
        const text = payloads.map((payload) => `: note${line}data: ${payload}${line}${line}`).join("");
        const parser = createEventParser();
        const events = [...cut(text, places).flatMap((piece) => parser.push(piece)), ...parser.flush()];
        expect(events.map((event) => event.data)).toEqual(payloads);
      }),
    );
  });

  it("joins the data lines of one event, names it, and gives what the end leaves open", () => {
    const parser = createEventParser();
    expect(parser.push("event: error\ndata: a\ndata:b\nid: 7\n\ndata: c")).toEqual([
      { name: "error", data: "a\nb" },
    ]);
    expect(parser.flush()).toEqual([{ name: "", data: "c" }]);
  });
});

describe("usage", () => {
  const usage = (inputTokens: number, cachedInputTokens: number, outputTokens: number) => ({
    inputTokens,
    cachedInputTokens,
    outputTokens,
    reasoningTokens: 0,
  });
  const cases: readonly [string, unknown, object | null][] = [
    ["is read under both sets of names", { input_tokens: 7, output_tokens: 3 }, usage(7, 0, 3)],
    [
      "clamps cached tokens to the input",
      { prompt_tokens: 5, completion_tokens: 1, cached_tokens: 9 },
      usage(5, 5, 1),
    ],
    [
      "reads cache hits",
      { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 4 },
      usage(9, 4, 1),
    ],
    ["is unknown when nothing is there", undefined, null],
    ["is unknown when a half is missing", { prompt_tokens: 5 }, null],
    ["is unknown when it is no number", { prompt_tokens: "5", completion_tokens: 1 }, null],
    ["is unknown when it is all zero", { prompt_tokens: 0, completion_tokens: 0 }, null],
  ];
  it.each(cases)("%s", (_, value, expected) => {
    expect(parseUsage(value)).toEqual(expected);
  });
});
