import type { Logger } from "@holdfast/service-runtime";
import { meterOf } from "@holdfast/telemetry";
import type { Violation } from "./read-reports.ts";

/** Counts violations of the pages' policy, and logs at most one line a second. */
export type ViolationEvents = { violated(violation: Violation): void };

/** @param now milliseconds of a clock that never goes back. */
export function createViolationEvents(log: Logger, now: () => number): ViolationEvents {
  const violations = meterOf("api-gateway").createCounter("holdfast.page.violations", {
    description: "Violations of the pages' policy that browsers have reported, by directive and source",
  });
  let loggedAt = -Infinity;
  let count = 0;
  return {
    violated({ directive, source, origin }) {
      violations.add(1, { directive, source });
      count += 1;
      if (now() - loggedAt < LOG_INTERVAL_MS) return;
      // `count` has the violations of any kind since the last line.
      log.warn(
        { listener: "public", fault: directive, reason: origin ?? source, count },
        "a page's policy was violated",
      );
      loggedAt = now();
      count = 0;
    },
  };
}

const LOG_INTERVAL_MS = 1_000;
