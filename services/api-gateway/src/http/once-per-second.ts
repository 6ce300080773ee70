/** A line in the log for each of them would be a flood of its own: one a second says how many. */
export function oncePerSecond(report: (count: number) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > 1) return;
    setTimeout(() => {
      report(count);
      count = 0;
    }, LOG_INTERVAL_MS).unref();
  };
}

const LOG_INTERVAL_MS = 1_000;
