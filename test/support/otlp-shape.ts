/** What a receiver of OTLP/JSON may rely on, strictly: an unknown key or a wrong form is an error. */
import { z } from "zod";

const hex = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));
const nanos = z.string().regex(/^[1-9]\d{18}$/, "Nanoseconds since 1970, as a string");

const scalar = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.number().int() }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const attributes = z.array(
  z.strictObject({
    key: z.string().regex(/^[a-z][a-z0-9_.]*$/),
    value: z.union([scalar, z.strictObject({ arrayValue: z.strictObject({ values: z.array(scalar) }) })]),
  }),
);

const spanShape = z
  .strictObject({
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: hex(16).optional(),
    name: z.string().min(1),
    kind: z.number().int().min(1).max(5),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    droppedAttributesCount: z.literal(0),
    events: z.array(z.never()),
    droppedEventsCount: z.literal(0),
    status: z.strictObject({ code: z.union([z.literal(0), z.literal(2)]) }),
    links: z.array(z.never()),
    droppedLinksCount: z.literal(0),
    flags: z.number().int(),
  })
  .refine((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), "Ends before it starts");

const bodyShape = z.strictObject({
  resourceSpans: z
    .array(
      z.strictObject({
        resource: z.strictObject({ attributes, droppedAttributesCount: z.literal(0) }),
        scopeSpans: z.array(
          z.strictObject({
            scope: z.strictObject({ name: z.literal("parley") }),
            spans: z.array(spanShape).min(1),
          }),
        ),
      }),
    )
    .min(1),
});

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The spans of a request's body. Throws at the first thing that a strict receiver would refuse. */
export function parseOtlp(body: unknown): ReceivedSpan[] {
  const { resourceSpans } = bodyShape.parse(body);
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ traceId, spanId, parentSpanId, name, status, ...span }) => ({
      traceId,
      spanId,
      parentSpanId: parentSpanId ?? null,
      name,
      failed: status.code === 2,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, plain(value)])),
    }));
}

function plain(value: z.infer<typeof attributes>[number]["value"]): unknown {
  if (!("arrayValue" in value)) return Object.values(value)[0];
  return value.arrayValue.values.flatMap((item): unknown[] => Object.values(item));
}
