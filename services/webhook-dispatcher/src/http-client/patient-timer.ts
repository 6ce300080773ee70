/**
 * A time-out that does not blame the other side for a standstill of our own. After one, Node runs the timers first and
 * looks at the sockets second: what has arrived meanwhile is looked at before the time is held to be over.
 *
 * @returns what calls it off.
 */
export function startPatientTimer(timeoutMs: number, onTimeout: () => void): () => void {
  let over = false;
  const timer = setTimeout(() => setImmediate(() => !over && onTimeout()), timeoutMs);
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
