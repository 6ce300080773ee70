/**
 * Starts a time-out that does not blame the other side when our own event loop was blocked. After a block, Node runs
 * the timers first and reads the sockets second: data that has arrived meanwhile is read before the time counts as
 * over.
 *
 * @returns a function that cancels it.
 */
export function startPatientTimer(timeoutMs: number, onTimeout: () => void): () => void {
  let over = false;
  const timer = setTimeout(() => setImmediate(() => !over && onTimeout()), timeoutMs);
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
