/** The middle of some figures, so that one bad round does not count; 0 of none. */
export function median(values: number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share of all is not above; 0 of none. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Monotonic microseconds that all processes of this machine share, so that times of two of them can be compared. */
export function sharedClockUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}
