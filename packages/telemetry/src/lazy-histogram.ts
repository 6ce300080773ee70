import type { Attributes, Histogram } from "@opentelemetry/api";
import { CALL_SECONDS } from "./duration-buckets.ts";
import { meterOf } from "./scope.ts";

/**
 * A histogram of durations in seconds, made when first used: a module is loaded before telemetry is started, and an
 * instrument that is made too early records nothing, forever.
 */
export function lazyHistogram(
  meter: string,
  name: string,
  description: string,
): (milliseconds: number, attributes: Attributes) => void {
  let histogram: Histogram | undefined;
  return (milliseconds, attributes) => {
    histogram ??= meterOf(meter).createHistogram(name, {
      description,
      unit: "s",
      advice: { explicitBucketBoundaries: CALL_SECONDS },
    });
    histogram.record(milliseconds / 1_000, attributes);
  };
}
