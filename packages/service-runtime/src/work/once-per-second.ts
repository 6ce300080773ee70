/**
 * Counts events that outsiders can cause at will, so that they cannot flood the log.
 *
 * @param report is called a second after the first event, with the number of events.
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
