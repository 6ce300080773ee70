import { expect, test } from "vitest";
import { z } from "zod";
import { isExported, protocolOf, telemetrySettings } from "./telemetry-settings.ts";

const schema = z.object(telemetrySettings);
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test.each([
  ["without an endpoint nothing is sent", {}, { traces: false, metrics: false }],
  ["one endpoint serves both signals", COLLECTOR, { traces: true, metrics: true }],
  [
    "a signal's own endpoint serves that signal only",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces/in" },
    { traces: true, metrics: false },
  ],
  [
    "a signal can be switched off",
    { ...COLLECTOR, OTEL_TRACES_EXPORTER: "none" },
    { traces: false, metrics: true },
  ],
])("%s", (_case, env, { traces, metrics }) => {
  const settings = schema.parse(env);
  expect(isExported("TRACES", settings)).toBe(traces);
  expect(isExported("METRICS", settings)).toBe(metrics);
});

test("a signal's own protocol goes before the common one", () => {
  const settings = schema.parse({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" });
  expect(protocolOf("TRACES", settings)).toBe("http/json");
  expect(protocolOf("METRICS", settings)).toBe("http/protobuf");
});

test.each([
  ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20abc%3D, x-scope = a="],
  ["OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=production,cluster = a%3Db,"],
  ["OTEL_NODE_RESOURCE_DETECTORS", "env, host"],
])("%s may be %s", (name, value) => {
  expect(schema.parse({ [name]: value })).toMatchObject({ [name]: value });
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "must be a URL with http:// or https://"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "must be http/protobuf or http/json"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "secret", "must be name=value pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%zz", "must be name=value pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "cookie=a;b", "must be name=value pairs"],
  ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", "must be http/protobuf or http/json"],
  ["OTEL_EXPORTER_OTLP_COMPRESSION", "brotli", "must be gzip or none"],
  ["OTEL_RESOURCE_ATTRIBUTES", "production", "must be name=value pairs"],
  ["OTEL_RESOURCE_ATTRIBUTES", "cluster=a=b", "must be name=value pairs"],
  ["OTEL_RESOURCE_ATTRIBUTES", `cluster=${"a".repeat(256)}`, "with at most 255 characters each"],
  ["OTEL_NODE_RESOURCE_DETECTORS", "env,cloud", "must be some of all, env,"],
  ["OTEL_TRACES_EXPORTER", "console", "must be otlp or none"],
  ["OTEL_METRICS_EXPORTER", "otlp,prometheus", "must be otlp or none"],
  ["OTEL_TRACES_SAMPLER", "sometimes", "must be always_on or"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5", "must be a number from 0 to 1"],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "0", "must be a whole number from 1 to 100000"],
  ["TRACE_KEPT_PER_SECOND_MAX", "many", "must be a whole number from 0 to 10000"],
])("%s=%s is a fault that says what it must be", (name, value, message) => {
  const { error } = schema.safeParse({ [name]: value });
  expect(error?.issues).toHaveLength(1);
  expect(error?.issues[0]).toMatchObject({ path: [name], message: expect.stringContaining(message) });
});
