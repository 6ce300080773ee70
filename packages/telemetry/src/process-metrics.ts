import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { meterOf } from "./scope.ts";
import { VERSION } from "./version.ts";

/** Measures the delay of the process's event loop, and the resources that it uses. Names are the conventions'. */
export function observeProcess(): void {
  const meter = meterOf("process");
  // Samples turns of the loop, without a timer: an idle process is not woken up, and no long turn is missed.
  const delay = monitorEventLoopDelay({ samplePerIteration: true });
  // The turn in which it begins would count until the end of the wait after it.
  setImmediate(() => delay.enable());
  const quantiles = ["p50", "p99", "max"] as const;
  const gauges = quantiles.map((name) =>
    meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, {
      description:
        "How long a turn of the event loop takes, and so how late what comes in it begins, since the last collection",
      unit: "s",
    }),
  );
  const utilization = meter.createObservableGauge("nodejs.eventloop.utilization", {
    description: "Share of time the event loop was busy, since the last collection",
    unit: "1",
  });
  const memory = meter.createObservableGauge("process.memory.usage", {
    description: "Resident memory",
    unit: "By",
  });
  const cpu = meter.createObservableCounter("process.cpu.time", {
    description: "Processor time, by mode",
    unit: "s",
  });
  const recent = sinceLast(delay);
  meter.addBatchObservableCallback(
    (result) => {
      for (const [index, value] of recent.delays().entries()) result.observe(gauges[index]!, value);
      result.observe(utilization, recent.utilization());
      result.observe(memory, process.memoryUsage.rss());
      const { user, system } = process.cpuUsage();
      result.observe(cpu, user / 1e6, { "cpu.mode": "user" });
      result.observe(cpu, system / 1e6, { "cpu.mode": "system" });
    },
    [...gauges, utilization, memory, cpu],
  );
}

/** Always 1: its labels say which version runs, so that a graph can show when one came and what changed with it. */
export function observeBuild(): void {
  const info = meterOf("process").createGauge("holdfast.build.info", {
    description: "1, by the version of Holdfast and of Node",
  });
  info.record(1, { version: VERSION, node: process.versions.node });
}

/** Several readers may collect. A reader that comes a moment after another one gets the same values. */
function sinceLast(delay: ReturnType<typeof monitorEventLoopDelay>) {
  let readAt = Number.NEGATIVE_INFINITY;
  let delays: [p50: number, p99: number, max: number] = [0, 0, 0];
  let base = performance.eventLoopUtilization();
  let utilization = 0;
  const read = () => {
    if (performance.now() - readAt < REPEAT_WITHIN_MS) return;
    readAt = performance.now();
    delays = [delay.percentile(50) / 1e9, delay.percentile(99) / 1e9, delay.max / 1e9];
    delay.reset();
    const now = performance.eventLoopUtilization();
    ({ utilization } = performance.eventLoopUtilization(now, base));
    base = now;
  };
  return {
    delays: () => (read(), delays),
    utilization: () => (read(), utilization),
  };
}

const REPEAT_WITHIN_MS = 1_000;
