/**
 * SIGTERM and SIGINT from the first line of a program. The kernel drops a signal that process 1 does not listen for, and
 * a container's program is process 1 where nothing else is: a stop while it is loaded would last the whole grace period.
 */
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Ends process 1 by a signal until `nextStopSignal` is called; the kernel ends any other process by itself. */
export function endOnSignals(pid = process.pid): void {
  if (pid === 1) for (const signal of SIGNALS) process.once(signal, end);
}

/** Hands the signals over: from here on the caller stops the process. */
export function nextStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of SIGNALS) process.off(signal, end).once(signal, resolve);
  return promise;
}

/** The exit code is the shell's number, never 0: otherwise an evicted Job would count as done. */
const end = (_signal: NodeJS.Signals, number: number) => process.exit(128 + number);
