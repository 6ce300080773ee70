import { context, diag, DiagLogLevel } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { observeBuild, observeProcess } from "./process-metrics.ts";
import { isExported, type TelemetrySettings } from "./telemetry-settings.ts";

export type Telemetry = {
  /** Sends the waiting data, for at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export type TelemetryOptions = {
  /** The process's name, which is `service.name` unless the environment names another. */
  name: string;
  /** True for a process that takes requests from outside: a client must not decide whether they are sampled. */
  isEdge: boolean;
  settings: TelemetrySettings;
  /** Called at most once a minute, when telemetry does not get through. */
  onTrouble: (what: string) => void;
};

/**
 * Starts as much of OpenTelemetry as the settings ask for. Metrics are always kept, for `/metrics`. With a collector to
 * send them to, spans are made too and both are sent: a collector that is down, slow or broken fills a bounded queue
 * and nothing else, and no call of a payment waits for it.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  if (options.settings.OTEL_SDK_DISABLED === "true") {
    // Log lines would not know the trace of their request without it.
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    return { stop: async () => {} };
  }
  reportTrouble(options.onTrouble);
  const shutdown = await start(options);
  observeProcess();
  observeBuild();
  return {
    async stop(timeoutMs) {
      // A collector that hangs would hold the process beyond its grace.
      const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
      await Promise.race([Promise.allSettled([shutdown()]), timeout]);
    },
  };
}

/**
 * Loads the SDK only if there is a collector: it loads every exporter, gRPC among them, which makes a start
 * longer by a sixth. A command that imports a service's modules loads no part of it.
 *
 * @returns a function that sends the waiting data, and ends the SDK
 */
async function start({ name, isEdge, settings }: TelemetryOptions): Promise<() => Promise<void>> {
  if (isExported("TRACES", settings) || isExported("METRICS", settings)) {
    const { startSdk } = await import("./start-sdk.ts");
    return startSdk(name, isEdge, settings);
  }
  const { startMetrics } = await import("./start-metrics.ts");
  return startMetrics(name);
}

/** The SDK's complaints hold the collector's address and its answers; the log says only that there is trouble. */
function reportTrouble(onTrouble: (what: string) => void): void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  const report = () => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + REPORT_INTERVAL_MS;
    onTrouble("export_failed");
  };
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

const REPORT_INTERVAL_MS = 60_000;
