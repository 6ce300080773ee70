import { expect, test } from "vitest";
import { z } from "zod";
import { endpointsOf, telemetrySettings } from "./telemetry-settings.ts";

const schema = z.object(telemetrySettings);

test("without an endpoint nothing is sent", () => {
  expect(endpointsOf(schema.parse({}))).toEqual({ traces: undefined, metrics: undefined });
});

test.each([
  [
    "one endpoint serves both signals",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" },
    { traces: "http://collector:4318/v1/traces", metrics: "http://collector:4318/v1/metrics" },
  ],
  [
    "a signal's own endpoint is taken as it stands",
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces/in",
    },
    { traces: "https://traces/in", metrics: "http://collector:4318/v1/metrics" },
  ],
  [
    "a signal can be switched off",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_TRACES_EXPORTER: "none" },
    { traces: undefined, metrics: "http://collector:4318/v1/metrics" },
  ],
  [
    "and so can both",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_SDK_DISABLED: "true" },
    { traces: undefined, metrics: undefined },
  ],
])("%s", (_case, env, endpoints) => {
  expect(endpointsOf(schema.parse(env))).toEqual(endpoints);
});

test("headers and resource attributes are pairs, percent-encoded", () => {
  const settings = schema.parse({
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc%3D, x-scope = a",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=production",
  });
  expect(settings.OTEL_EXPORTER_OTLP_HEADERS).toEqual({ authorization: "Basic abc=", "x-scope": "a" });
  expect(settings.OTEL_RESOURCE_ATTRIBUTES).toEqual({ "deployment.environment.name": "production" });
});

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "must be a URL with http:// or https://"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "must be http/protobuf or http/json"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "secret", "must be name=value pairs"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%zz", "must be name=value pairs"],
  ["OTEL_TRACES_SAMPLER", "sometimes", "must be always_on or"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5", "must be a number from 0 to 1"],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "0", "must be a whole number from 1 to 100000"],
  ["TRACE_KEPT_PER_SECOND_MAX", "many", "must be a whole number from 0 to 10000"],
])("%s=%s is a fault that says what it must be", (name, value, message) => {
  const { error } = schema.safeParse({ [name]: value });
  expect(error?.issues).toHaveLength(1);
  expect(error?.issues[0]).toMatchObject({ path: [name], message: expect.stringContaining(message) });
});
