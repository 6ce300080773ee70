import { lazyHistogram, metrics } from "@holdfast/telemetry";

export type BatchMetrics = {
  /** An item has waited for the flush that it is a part of. */
  waited(milliseconds: number): void;
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
    waited: (milliseconds) => recordWait(milliseconds, { batch: name }),
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
