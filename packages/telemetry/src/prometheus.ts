/**
 * The function behind `/metrics`. Like OpenTelemetry's providers it exists once in a process: the SDK's start
 * sets it, and the health port reads it.
 */
let collectText: (() => Promise<string>) | undefined;

export function setPrometheusSource(collect: () => Promise<string>): void {
  collectText = collect;
}

/** All metrics in Prometheus' text format; undefined if telemetry was not started. */
export async function prometheusText(): Promise<string | undefined> {
  return await collectText?.();
}
