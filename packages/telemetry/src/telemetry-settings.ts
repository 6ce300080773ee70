import { z } from "zod";

/**
 * OpenTelemetry's own variables (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/)
 * with its defaults, as far as they apply here, and one of ours. Without an endpoint nothing is sent and nothing of it
 * runs but the metrics for `/metrics`.
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
  OTEL_EXPORTER_OTLP_HEADERS: pairs()
    .prefault("")
    .describe("Headers that are sent with each export. They may contain a secret."),
  OTEL_EXPORTER_OTLP_TIMEOUT: count(1, 60_000)
    .default(10_000)
    .describe("Milliseconds for one export, including its repetitions."),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255)
    .optional()
    .describe("The name under which traces and metrics appear. Without it, the service's own."),
  OTEL_RESOURCE_ATTRIBUTES: pairs()
    .prefault("")
    .describe("Attributes of the deployment, such as its environment, cluster or version."),
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

/** Where each signal goes; undefined where it is off. */
export function endpointsOf(settings: Omit<TelemetrySettings, "TRACE_SLOW_AFTER">): {
  traces: string | undefined;
  metrics: string | undefined;
} {
  const of = (signal: "traces" | "metrics", exporter: "otlp" | "none", own: string | undefined) => {
    if (settings.OTEL_SDK_DISABLED === "true" || exporter === "none") return undefined;
    const base = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
    return own ?? (base === undefined ? undefined : `${base.replace(/\/$/, "")}/v1/${signal}`);
  };
  const { OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER } = settings;
  return {
    traces: of("traces", OTEL_TRACES_EXPORTER, settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    metrics: of("metrics", OTEL_METRICS_EXPORTER, settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT),
  };
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

function pairs() {
  const error = "must be name=value pairs separated by commas, percent-encoded";
  return z.string({ error }).transform((text, issues): Record<string, string> => {
    const result: Record<string, string> = {};
    for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
      const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      const decoded = value === undefined ? undefined : decode(value);
      if (name === undefined || decoded === undefined) {
        issues.addIssue({ code: "custom", message: error });
        return z.NEVER;
      }
      result[name] = decoded;
    }
    return result;
  });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
