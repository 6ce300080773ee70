/**
 * A valid body of POST /api/pre-authorization as JSON text; each given field is JSON source, `undefined` leaves it out.
 */
export function preAuthorizationBody(fields: Record<string, string | undefined> = {}): string {
  const all = { ...VALID, ...fields };
  const members = Object.entries(all).filter(([, source]) => source !== undefined);
  return `{${members.map(([name, source]) => `${JSON.stringify(name)}: ${source}`).join(", ")}}`;
}

export const PAN = "4111111111111111";
export const CVV = "937";

const VALID = {
  orderId: '"order-1"',
  amount: "12.50",
  currency: '"TRY"',
  cardHolderName: '"Ada Lovelace"',
  pan: `"${PAN}"`,
  expiryMonth: '"12"',
  expiryYear: `"${String((new Date().getUTCFullYear() + 3) % 100).padStart(2, "0")}"`,
  cvv: `"${CVV}"`,
  requestIp: '"203.0.113.7"',
  requestPort: "4711",
};
