/**
 * Banks use our payment's id without hyphens as the order's id. @returns it with them, or a text of another form
 * unchanged.
 */
export function paymentIdOfOrder(orderId: string): string {
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(orderId);
  return parts ? parts.slice(1).join("-") : orderId;
}

/** The lines of a ledger in newline-delimited JSON. */
export function parseLines<Line>(text: string): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
