import { metrics, type Attributes, type Histogram } from "@opentelemetry/api";

/**
 * A histogram of durations in seconds, made when first used: a module is loaded before telemetry is started, and what
 * is made too early records nothing, forever.
 */
export function lazyHistogram(
  meter: string,
  name: string,
  description: string,
): (milliseconds: number, attributes: Attributes) => void {
  let histogram: Histogram | undefined;
  return (milliseconds, attributes) => {
    histogram ??= metrics.getMeter(meter).createHistogram(name, {
      description,
      unit: "s",
      advice: { explicitBucketBoundaries: DURATION_SECONDS },
    });
    histogram.record(milliseconds / 1_000, attributes);
  };
}

/** The conventions' for HTTP, and what lies beyond: a command may take 18 s, an acquirer call 15 s. */
const DURATION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 15, 20];
