import { metrics } from "@opentelemetry/api";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { VERSION } from "./version.ts";

/** Measures whether the process's event loop keeps up, and what it uses. Names are the conventions'. */
export function observeProcess(): void {
  const meter = metrics.getMeter("process");
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const quantiles = ["p50", "p99", "max"] as const;
  const gauges = quantiles.map((name) =>
    meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, {
      description: "How late the event loop gets to its timers, since the last collection",
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
  const info = metrics.getMeter("process").createGauge("holdfast.build.info", {
    description: "1, by the version of Holdfast and of Node",
  });
  info.record(1, { version: VERSION, node: process.versions.node });
}

/** Several readers may collect; what one of them read is repeated to another that comes a moment later. */
function sinceLast(delay: ReturnType<typeof monitorEventLoopDelay>) {
  let readAt = Number.NEGATIVE_INFINITY;
  let delays: [p50: number, p99: number, max: number] = [0, 0, 0];
  let base = performance.eventLoopUtilization();
  let utilization = 0;
  const read = () => {
    if (performance.now() - readAt < REPEAT_WITHIN_MS) return;
    readAt = performance.now();
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
    delays = [late(delay.percentile(50)), late(delay.percentile(99)), late(delay.max)];
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
/**
 * The histogram measures from one timer to the next, which includes its resolution. Each timer wakes the process up: a
 * hundred in a second are a third of a percent of a core, five are not seen, and a quarter of a minute has enough of them.
 */
const RESOLUTION_MS = 200;
