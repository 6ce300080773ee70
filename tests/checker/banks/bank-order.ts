/**
 * Banks use our payment's id without hyphens as the order's id. One has 20 letters and digits instead, behind four of its
 * own: the id as a number to the base 62, without the version and the variant that each id has (docs/adr/0069).
 * @returns it with hyphens, or a text of another form unchanged.
 */
export function paymentIdOfOrder(orderId: string): string {
  const short = SHORT_ORDER.exec(orderId)?.[1];
  const hex = short === undefined ? orderId : hexOf(short);
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(hex);
  return parts ? parts.slice(1).join("-") : orderId;
}

const SHORT_ORDER = /^[0-9A-Z_]{4}([0-9A-Za-z]{20})$/;

export function isShortOrder(orderId: string): boolean {
  return SHORT_ORDER.test(orderId);
}

function hexOf(short: string): string {
  let value = 0n;
  for (const digit of short) {
    const code = digit.charCodeAt(0);
    value = value * 62n + BigInt(code < 58 ? code - 48 : code < 91 ? code - 55 : code - 61);
  }
  const bits = value.toString(2).padStart(119, "0");
  const id = `${"0".repeat(3)}${bits.slice(0, -74)}0111${bits.slice(-74, -62)}10${bits.slice(-62)}`;
  return BigInt(`0b${id}`).toString(16).padStart(32, "0");
}

/** The lines of a ledger in newline-delimited JSON. */
export function parseLines<Line>(text: string): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
