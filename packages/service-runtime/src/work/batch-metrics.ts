import { annotate, lazyHistogram, metrics, trace, type Context } from "@holdfast/telemetry";

export type BatchMetrics = {
  /** An item of this unit of work has waited for the flush that it is a part of; the unit's span says so, too. */
  waited(milliseconds: number, unit: Context): void;
  /** So many items wait now. */
  queued(items: number): void;
};

/**
 * How long items wait for the flush before theirs, and how many do. While a statement hangs this is where the time goes: the
 * waiting item's unit of work has no statement yet, and so no span of one.
 */
export function measureBatches(name: string): BatchMetrics {
  let waiting = 0;
  // Made when first used, as the histogram is: a module is loaded before telemetry is started.
  let observed = false;
  const observe = () => {
    observed = true;
    metrics
      .getMeter("service-runtime")
      .createObservableGauge("holdfast.batch.queue", { description: "Items that wait for a flush, by batch" })
      .addCallback((result) => result.observe(waiting, { batch: name }));
  };
  return {
    waited(milliseconds, unit) {
      recordWait(milliseconds, { batch: name });
      annotate({ "holdfast.batch.wait": Math.round(milliseconds) / 1_000 }, trace.getSpan(unit));
    },
    queued(items) {
      waiting = items;
      if (!observed) observe();
    },
  };
}

const recordWait = lazyHistogram(
  "service-runtime",
  "holdfast.batch.wait",
  "How long an item waited for its flush, by batch",
);
