/** What the tests' tracing backend has received, by the key in its address; see test/support/otlp-collector.ts. */
import { expect, inject } from "vitest";
import { z } from "zod";
import { parseOtlp, type ReceivedSpan } from "../../support/otlp-shape.ts";
import { eventually } from "./api.ts";

const server = inject("modelServer");
const requestShape = z.array(z.object({ headers: z.record(z.string(), z.string()), body: z.unknown() }));

export async function received(key: string) {
  return requestShape.parse(await (await fetch(`${server}/collected/${key}`)).json());
}

export async function spans(key: string): Promise<ReceivedSpan[]> {
  return (await received(key)).flatMap(({ body }) => parseOtlp(body));
}

/** The spans under that key, once those of so many runs have come. */
export async function spansOfRuns(key: string, runs: number): Promise<ReceivedSpan[]> {
  await eventually(async () => named(await spans(key), "invoke_agent").length >= runs);
  return spans(key);
}

export function named(all: readonly ReceivedSpan[], operation: string): ReceivedSpan[] {
  return all.filter(({ name }) => name.split(" ")[0] === operation);
}

/** The one span of that name. */
export function only(all: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = all.filter((span) => span.name === name);
  expect(found, name).toHaveLength(1);
  return found[0] ?? { traceId: "", spanId: "", parentSpanId: "", name, failed: false, attributes: {} };
}
