import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it came over the wire, in plain values. */
export type ReceivedSpan = {
  service: string;
  name: string;
  kind: "INTERNAL" | "SERVER" | "CLIENT" | "PRODUCER" | "CONSUMER" | "UNSPECIFIED";
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  isError: boolean;
  durationMs: number;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
};

/** A collector's treatment of an export: `hangs` takes the request and never answers. */
export type CollectorManner = "answers" | "fails" | "hangs";

export type OtlpReceiver = {
  /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`, with `OTEL_EXPORTER_OTLP_PROTOCOL=http/json`. */
  url: string;
  port: number;
  spans: ReceivedSpan[];
  /** Names of the metrics that came, by service. */
  metrics: Map<string, Set<string>>;
  /** Everything that came, byte for byte. */
  bodies: Buffer[];
  /** Exports received, whatever the answer. */
  requests(): number;
  behave(manner: CollectorManner): void;
  close(): Promise<void>;
};

/**
 * A collector for tests: real HTTP, OTLP in JSON. Protobuf is kept and not read.
 *
 * @param options.host where it listens; `0.0.0.0` where containers have to reach it
 */
export async function startOtlpReceiver({ host = "127.0.0.1" } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, Set<string>>();
  const bodies: Buffer[] = [];
  let requests = 0;
  let manner: CollectorManner = "answers";

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests++;
    if (manner === "hangs") return;
    if (manner === "fails") {
      response.writeHead(500).end();
      return;
    }
    const body = Buffer.concat(chunks);
    bodies.push(body);
    if (request.headers["content-type"] === "application/json") {
      const message = JSON.parse(body.toString()) as OtlpMessage;
      spans.push(...readSpans(message));
      readMetrics(message, metrics);
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    spans,
    metrics,
    bodies,
    requests: () => requests,
    behave(next) {
      manner = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type OtlpValue = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
};
type OtlpAttributes = { key: string; value: OtlpValue }[];
type OtlpSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes?: OtlpAttributes;
  links?: { traceId: string; spanId: string }[];
};
type OtlpMessage = {
  resourceSpans?: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
  resourceMetrics?: {
    resource: { attributes: OtlpAttributes };
    scopeMetrics: { metrics: { name: string }[] }[];
  }[];
};

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"] as const;
const STATUS_ERROR = 2;

function readSpans({ resourceSpans = [] }: OtlpMessage): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)["service.name"]);
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => readSpan(service, span)));
  });
}

function readSpan(service: string, span: OtlpSpan): ReceivedSpan {
  const nanoseconds = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
  return {
    service,
    name: span.name,
    kind: KINDS[span.kind] ?? "UNSPECIFIED",
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || undefined,
    isError: span.status?.code === STATUS_ERROR,
    durationMs: Number(nanoseconds) / 1e6,
    attributes: plain(span.attributes ?? []),
    links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
  };
}

function readMetrics({ resourceMetrics = [] }: OtlpMessage, metrics: Map<string, Set<string>>): void {
  for (const { resource, scopeMetrics } of resourceMetrics) {
    const service = String(plain(resource.attributes)["service.name"]);
    const names = metrics.get(service) ?? new Set();
    metrics.set(service, names);
    for (const scope of scopeMetrics) for (const { name } of scope.metrics) names.add(name);
  }
}

function plain(attributes: OtlpAttributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        (value.intValue === undefined ? undefined : Number(value.intValue)) ??
        value.doubleValue ??
        value.boolValue ??
        "",
    ]),
  );
}
