/**
 * Counts events that outsiders can cause at will: a line in the log for each would be a flood of its own.
 *
 * @param report is called a second after the first one, with their number.
 */
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
