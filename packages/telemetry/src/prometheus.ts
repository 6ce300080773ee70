/**
 * The answer to `/metrics`. Like OpenTelemetry's providers there is one of it in a process: it is set where the SDK is
 * started, and read by the health port.
 */
let collectText: (() => Promise<string>) | undefined;

export function setPrometheusSource(collect: () => Promise<string>): void {
  collectText = collect;
}

/** All metrics in Prometheus' text format; undefined where telemetry was not started. */
export async function prometheusText(): Promise<string | undefined> {
  return await collectText?.();
}
