type Bounded = { format?: string; pattern?: string; minimum?: number; maximum?: number };

/**
 * Takes out of a schema the parts of zod's that no reader or generator of programs needs: the bounds of integers in
 * JavaScript, and patterns that repeat the format at length. A time's pattern also requires UTC, for which `Z$` is
 * enough.
 */
export function dropNoise(schema: object): void {
  const bounded = schema as Bounded;
  if (bounded.minimum === Number.MIN_SAFE_INTEGER) delete bounded.minimum;
  if (bounded.maximum === Number.MAX_SAFE_INTEGER) delete bounded.maximum;
  if (bounded.pattern === undefined) return;
  if (bounded.format === "uuid") delete bounded.pattern;
  if (bounded.format === "date-time") bounded.pattern = "Z$";
}
