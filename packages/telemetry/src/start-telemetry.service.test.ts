import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { context, diag, logs, metrics, SpanKind, trace, type Span } from "@opentelemetry/api";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { prometheusText } from "./prometheus.ts";
import { SCHEMA_URL } from "./scope.ts";
import { startSpan } from "./span.ts";
import { startTelemetry, type Telemetry } from "./start-telemetry.ts";
import { telemetrySettings } from "./telemetry-settings.ts";
import { activeTraceparent, remoteContext } from "./traceparent.ts";
import { VERSION } from "./version.ts";

test("what is measured goes where the environment says, as who the environment says", async () => {
  const collector = await startCollector();
  const telemetry = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/own`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.instance.id=one",
    OTEL_TRACES_SAMPLER: "always_on",
  });
  work().end();
  await telemetry.stop(STOP_TIMEOUT_MS);

  expect(collector.received.map(({ path }) => path).toSorted()).toEqual(["/base/v1/traces", "/own"]);
  for (const { headers, resource, scopes } of collector.received) {
    expect(headers).toMatchObject({ "content-type": "application/json", authorization: "Basic abc" });
    expect(resource).toMatchObject({
      "deployment.environment.name": "test",
      "service.instance.id": "one",
      "service.name": "payments",
      "service.namespace": "holdfast",
    });
    expect(Object.keys(resource!).join()).not.toMatch(/process|host|os\./);
    expect(scopes).toContainEqual([expect.stringMatching(/^(holdfast|process)$/), VERSION, SCHEMA_URL]);
  }
});

test("the environment chooses another name and further detectors", async () => {
  const collector = await startCollector();
  const telemetry = await start({
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json",
    OTEL_SERVICE_NAME: "payments-blue",
    OTEL_NODE_RESOURCE_DETECTORS: "env,host",
  });
  await telemetry.stop(STOP_TIMEOUT_MS);
  expect(collector.received[0]?.resource).toMatchObject({
    "service.name": "payments-blue",
    "host.name": expect.any(String),
  });
});

test("without a collector there are metrics to read and no spans", async () => {
  await start({ OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test" });
  expect(work().isRecording()).toBe(false);
  const [target] = /^target_info\{.*$/m.exec((await prometheusText())!) ?? [];
  expect(target).toContain('service_name="payments"');
  expect(target).toContain('service_namespace="holdfast"');
  expect(target).toContain('deployment_environment_name="test"');
  expect(target).toMatch(/service_version="\d+\.\d+\.\d+"/);
  expect(await prometheusText()).toMatch(/^process_cpu_time_seconds_total\{cpu_mode="user"\} /m);
  expect(await prometheusText()).toMatch(
    /^holdfast_build_info\{version="\d+\.\d+\.\d+",node="26\.[\d.]+"\S* 1/m,
  );
});

test("a turn of the event loop that took long is in its delay", async () => {
  await start({});
  const turn = () => new Promise((resolve) => setTimeout(resolve, 50));
  await turn();
  const until = performance.now() + 200;
  while (performance.now() < until);
  await turn();
  const text = (await prometheusText())!;
  const [, max] = /^nodejs_eventloop_delay_max_seconds (\S+)/m.exec(text) ?? [];
  expect(Number(max)).toBeGreaterThanOrEqual(0.2);
});

test("switched off, the trace that a request came with is still known to the log", async () => {
  await start({ OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  expect(context.with(remoteContext(traceparent), activeTraceparent)).toBe(traceparent);
  expect(work().isRecording()).toBe(false);
});

test("the log says that a collector refuses what is sent, and nothing else of what the SDK would print", async () => {
  const collector = await startCollector(400);
  const telemetry = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_LOG_LEVEL: "all",
  });
  work().end();
  // The SDK would have given its messages another reader by now, and have said so to ours.
  expect(telemetry.troubles).toEqual([]);
  await telemetry.stop(STOP_TIMEOUT_MS);
  expect(collector.received).toHaveLength(2);
  expect(telemetry.troubles).toEqual(["export_failed"]);
});

/** Longer than any test waits. */
const STOP_TIMEOUT_MS = 60_000;

/** The SDK in this process, with the given environment; it ends with the test. */
async function start(env: Record<string, string>): Promise<Telemetry & { troubles: string[] }> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const troubles: string[] = [];
  const telemetry = await startTelemetry({
    name: "payments",
    isEdge: false,
    settings: { ...z.object(telemetrySettings).parse(env), TRACE_SLOW_AFTER: 1_000 },
    onTrouble: (what) => troubles.push(what),
  });
  onTestFinished(async () => {
    await telemetry.stop(STOP_TIMEOUT_MS);
    for (const api of [context, diag, logs, metrics, trace]) api.disable();
    vi.unstubAllEnvs();
  });
  return { ...telemetry, troubles };
}

function work(): Span {
  return startSpan("work", { kind: SpanKind.INTERNAL });
}

type Received = {
  path: string;
  headers: IncomingHttpHeaders;
  resource?: Record<string, unknown>;
  /** Name, version and schema of each. */
  scopes?: unknown[][];
};

async function startCollector(status = 200): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isJson = request.headers["content-type"] === "application/json";
    const read = isJson ? readExport(Buffer.concat(chunks).toString()) : {};
    received.push({ path: request.url!, headers: request.headers, ...read });
    response.writeHead(status).end();
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

type Scoped = { scope: { name: string; version?: string }; schemaUrl?: string };
type Entry = {
  resource: { attributes: { key: string; value: object }[] };
  scopeSpans?: Scoped[];
  scopeMetrics?: Scoped[];
};

/** The one entry of an export's body, for every signal. */
function readExport(body: string): Pick<Received, "resource" | "scopes"> {
  const [[entry]] = Object.values(JSON.parse(body) as Record<string, [Entry]>) as [[Entry]];
  return {
    resource: Object.fromEntries(
      entry.resource.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
    ),
    scopes: (entry.scopeSpans ?? entry.scopeMetrics ?? []).map(({ scope, schemaUrl }) => [
      scope.name,
      scope.version,
      schemaUrl,
    ]),
  };
}
