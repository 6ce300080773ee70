/**
 * Writes one JSON line to stdout. Callers pass names, ports and error codes only: nothing that came in a request
 * body may be logged, as a body may hold a card number.
 */
export function log(level: "info" | "error", msg: string, fields: Record<string, string | number>): void {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), msg, ...fields })}\n`);
}
