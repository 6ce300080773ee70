// One checker for payments, checkouts, refunds and webhooks. It imports nothing of the services:
//
//   const ledgers = { ...emptyLedgers(rules), ...(await readRows(query)), bank, received };
//   expect(checkInvariants(ledgers, WEBHOOK_INVARIANTS)).toEqual([]);
export { checkInvariants, describeViolation, INVARIANTS } from "./invariants.ts";
export * from "./ledgers.ts";
export { foreignBankLines } from "./banks/foreign-bank-lines.ts";
export { CHECKOUT_INVARIANTS } from "./checkouts/checkout-invariants.ts";
export { PAYMENT_INVARIANTS } from "./payments/payment-invariants.ts";
export { REFUND_INVARIANTS } from "./refunds/refund-invariants.ts";
export { WEBHOOK_INVARIANTS } from "./webhooks/webhook-invariants.ts";
export { readAcceptedEvents, readBankLines, readRows, type Query } from "./read-rows.ts";
