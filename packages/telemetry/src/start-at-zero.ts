import type { Attributes, Counter } from "@opentelemetry/api";

/**
 * Exports these series of a counter from now on, with 0. A series that appears with its first event begins at 1, and
 * `increase()` does not see that event: an alert on it would be silent when it matters most.
 */
export function startAtZero(counter: Counter, ...series: readonly Attributes[]): void {
  for (const attributes of series) counter.add(0, attributes);
}

/** Each combination of a value of every label. @example `seriesOf({ operation: ["SALE"], status: ["SUCCESS", "FAILED"] })` */
export function seriesOf(labels: Readonly<Record<string, readonly string[]>>): Attributes[] {
  return Object.entries(labels).reduce<Attributes[]>(
    (series, [name, values]) =>
      series.flatMap((attributes) => values.map((value) => ({ ...attributes, [name]: value }))),
    [{}],
  );
}
