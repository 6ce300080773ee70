import { z } from "zod";

/** Bound of the SDK for the name and for the value of a resource attribute. */
const ATTRIBUTE_LENGTH_MAX = 255;

/**
 * The variables of OpenTelemetry
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/) that apply here, and
 * one of ours. The SDK reads most of them from the environment, and ignores invalid values. They are checked
 * here, so that a process does not start with invalid values, and so that our own code gets them. Without an
 * endpoint nothing is sent, and only the metrics for `/metrics` are kept.
 */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl()
    .optional()
    .describe(
      "A collector that takes OTLP over HTTP, without the path: `/v1/traces` and `/v1/metrics` are appended. Without an endpoint nothing is exported.",
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl().optional().describe("For traces alone, with the path."),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: httpUrl().optional().describe("For metrics alone, with the path."),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf("http/protobuf", "http/json")
    .default("http/protobuf")
    .describe("The encoding of exports."),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf("http/protobuf", "http/json")
    .optional()
    .describe("For traces alone."),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: oneOf("http/protobuf", "http/json")
    .optional()
    .describe("For metrics alone."),
  OTEL_EXPORTER_OTLP_COMPRESSION: oneOf("gzip", "none").optional().describe("Compression of exports."),
  OTEL_EXPORTER_OTLP_HEADERS: headers()
    .optional()
    .describe("Headers that are sent with each export. They may contain a secret."),
  OTEL_EXPORTER_OTLP_TIMEOUT: count(1, 60_000)
    .default(10_000)
    .describe("Milliseconds for one export, including its repetitions."),
  OTEL_SERVICE_NAME: z
    .string()
    .max(ATTRIBUTE_LENGTH_MAX)
    .optional()
    .describe("The name under which traces and metrics appear. Without it, the service's own."),
  OTEL_RESOURCE_ATTRIBUTES: resourceAttributes()
    .optional()
    .describe("Attributes of the deployment, such as its environment, cluster or version."),
  OTEL_NODE_RESOURCE_DETECTORS: someOf("all", "env", "host", "none", "os", "process", "serviceinstance")
    .optional()
    .describe("Resource detectors, separated by commas; `env` reads the two settings above."),
  OTEL_SDK_DISABLED: oneOf("true", "false")
    .default("false")
    .describe("`true` switches everything off, including `/metrics`."),
  OTEL_TRACES_EXPORTER: oneOf("otlp", "none").default("otlp").describe("`none` exports no traces."),
  OTEL_METRICS_EXPORTER: oneOf("otlp", "none")
    .default("otlp")
    .describe("`none` exports no metrics; `/metrics` stays."),
  // The default at the edge is not the parent's flag: a client's flag would let it decide what we store.
  OTEL_TRACES_SAMPLER: oneOf(
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
  )
    .optional()
    .describe(
      "How traces are sampled when they begin. Without it, a ratio by trace id in the gateway, and the parent's decision everywhere else.",
    ),
  OTEL_TRACES_SAMPLER_ARG: ratio()
    .default(0.1)
    .describe("The share of traces that a sampler with a ratio keeps."),
  OTEL_BSP_SCHEDULE_DELAY: count(1, 600_000)
    .default(5_000)
    .describe("Milliseconds between two exports of spans."),
  OTEL_BSP_MAX_QUEUE_SIZE: count(1, 100_000)
    .default(2_048)
    .describe("Spans that wait for export; further ones are dropped and counted."),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count(1, 100_000).default(512).describe("Spans in one export."),
  OTEL_METRIC_EXPORT_INTERVAL: count(100, 3_600_000)
    .default(60_000)
    .describe("Milliseconds between two exports of metrics."),
  TRACE_KEPT_PER_SECOND_MAX: count(0, 10_000)
    .default(50)
    .describe(
      "Units of work a second that one process traces whatever the sampling ratio, because they failed, were slow or have an unknown outcome.",
    ),
};

export type TelemetrySettings = z.output<z.ZodObject<typeof telemetrySettings>> & {
  /** Milliseconds. */
  TRACE_SLOW_AFTER: number;
};

type Signal = "TRACES" | "METRICS";
type OwnSettings = Omit<TelemetrySettings, "TRACE_SLOW_AFTER">;

/** True if the signal is sent: the SDK would send to `localhost` when it is given no endpoint. */
export function isExported(signal: Signal, settings: OwnSettings): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: common } = settings;
  const endpoint = settings[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ?? common;
  return endpoint !== undefined && settings[`OTEL_${signal}_EXPORTER`] === "otlp";
}

export function protocolOf(signal: Signal, settings: OwnSettings): "http/protobuf" | "http/json" {
  return settings[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? settings.OTEL_EXPORTER_OTLP_PROTOCOL;
}

function httpUrl() {
  const error = "must be a URL with http:// or https://";
  return z
    .string({ error })
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), { error });
}

function oneOf<const Values extends readonly string[]>(...values: Values) {
  return z.enum(values, { error: `must be ${values.join(" or ")}` });
}

function someOf(...values: string[]) {
  const error = `must be some of ${values.join(", ")}, separated by commas`;
  return z
    .string({ error })
    .refine((text) => text.split(",").every((value) => values.includes(value.trim())), { error });
}

function count(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

function ratio() {
  const error = "must be a number from 0 to 1";
  return z
    .string({ error })
    .regex(/^(0|1)?(\.\d{1,9})?$/, { error })
    .transform(Number)
    .refine((value) => value >= 0 && value <= 1, { error });
}

/** The SDK cuts a header off at a semicolon. */
function headers() {
  const error = "must be name=value pairs separated by commas, percent-encoded";
  return z.string({ error }).refine((text) => pairsOf(text).every(isHeader), { error });
}

function isHeader(pair: string): boolean {
  return /^[^=\s;]+\s*=[^;]*$/.test(pair) && decode(pair) !== undefined;
}

/** The SDK drops all attributes for one that it cannot read. */
function resourceAttributes() {
  const error = `must be name=value pairs separated by commas, percent-encoded, with at most ${ATTRIBUTE_LENGTH_MAX} characters each`;
  return z.string({ error }).refine((text) => pairsOf(text).every(isResourceAttribute), { error });
}

function isResourceAttribute(pair: string): boolean {
  const parts = pair.split("=").map((part) => decode(part.trim()));
  const [name, value] = parts;
  if (parts.length !== 2 || !name || /\s/.test(name) || value === undefined) return false;
  return name.length <= ATTRIBUTE_LENGTH_MAX && value.length <= ATTRIBUTE_LENGTH_MAX;
}

function pairsOf(text: string): string[] {
  return text
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "");
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
