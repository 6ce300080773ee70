/**
 * A schedule as settings spell it (`100ms,200ms,…`), with an attempt after each step of the time that it covers. After
 * its last entry a schedule waits as long again as it took so far, which a test would wait, too.
 */
export function evenSchedule(everyMs: number, attempts: number): string {
  return Array.from({ length: attempts }, (_, index) => `${(index + 1) * everyMs}ms`).join(",");
}
