/** Spans as the body of an OTLP/HTTP request, encoded by OpenTelemetry's own library. */
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { TelemetryConfig } from "../config/telemetry.ts";
import type { Span } from "./span.ts";

type SdkSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

export interface OtlpBody {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** `instanceId` names the deployment among others of the same service. */
export function otlpBody(
  spans: readonly Span[],
  { instanceId, encoding }: { readonly instanceId: string; readonly encoding: TelemetryConfig["encoding"] },
): OtlpBody {
  const resource = resourceOf({ "service.name": "parley", "service.instance.id": instanceId });
  const sdkSpans = spans.map((span) => sdkSpan(span, resource));
  const serializer = encoding === "json" ? JsonTraceSerializer : ProtobufTraceSerializer;
  return {
    contentType: encoding === "json" ? "application/json" : "application/x-protobuf",
    bytes: Uint8Array.from(serializer.serializeRequest(sdkSpans) ?? []),
  };
}

function resourceOf(attributes: SdkSpan["resource"]["attributes"]): SdkSpan["resource"] {
  const resource: SdkSpan["resource"] = { attributes, merge: () => resource, getRawAttributes: () => [] };
  return resource;
}

/** Numbers of the API's enums, whose module would bring its whole registry along. */
const KIND = { internal: 0, client: 2 } as const;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;
const SAMPLED = 1;

function sdkSpan(span: Span, resource: SdkSpan["resource"]): SdkSpan {
  const { traceId, spanId, parentSpanId, startedAt } = span;
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: SAMPLED });
  // Clocks may have been set back in between.
  const endedAt = Math.max(startedAt, span.endedAt);
  return {
    name: span.name,
    kind: KIND[span.kind],
    spanContext: () => context(spanId),
    ...(parentSpanId === null ? {} : { parentSpanContext: context(parentSpanId) }),
    startTime: hrTime(startedAt),
    endTime: hrTime(endedAt),
    duration: hrTime(endedAt - startedAt),
    ended: true,
    status: { code: span.failed ? STATUS_ERROR : STATUS_UNSET },
    attributes: Object.fromEntries(
      Object.entries(span.attributes).map(([name, value]) => [
        name,
        typeof value === "object" ? [...value] : value,
      ]),
    ),
    events: [],
    links: [],
    resource,
    instrumentationScope: { name: "parley" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}
