/** The simulator's test cards by its behaviour (tools/bank-simulator/src/protocols/sim/README.md, Test cards). */
export const CARDS = {
  approve_visa: "4111111111111111",
  approve_mastercard: "5555555555554444",
  approve_amex: "378282246310005",
  approve_troy: "9792000000000003",
  do_not_honour: "4000000000000002",
  insufficient_funds: "4000000000009995",
  expired_card: "4000000000000069",
  approves_and_hangs: "4000000000000119",
  hangs: "4000000000000127",
  answers_late: "4000000000000101",
  acts_late: "4000000000000259",
  http_500: "4000000000000341",
  garbage: "4000000000000036",
  other_amount: "4000000000000044",
  reset: "4000000000000051",
  challenged: "4000000000003220",
  frictionless: "4000000000003055",
  unauthenticated: "4000000000003097",
} as const;
export type CardName = keyof typeof CARDS;

/** First six and last four digits, as an answer may show it. */
export function maskPan(pan: string): string {
  return `${pan.slice(0, 6)}${"*".repeat(pan.length - 10)}${pan.slice(-4)}`;
}

/** American Express has four digits. */
export function cvvOf(card: CardName): string {
  return card === "approve_amex" ? "1234" : "123";
}
