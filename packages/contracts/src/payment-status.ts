import { z } from "zod";

/** Statuses a merchant can see (spec, States and transitions). */
export const PAYMENT_STATUSES = [
  "SUCCESS",
  "FAILED",
  "ENROLLED",
  "REJECTED",
  "CANCELLED",
  "PENDING_APPROVAL",
  "CAPTURED",
] as const;

/** The meaning of each status for merchants. The documents list the statuses that a record can have. */
const STATUS_MEANINGS = {
  SUCCESS: "a sale is charged, an authorization is reserved, or a refund is paid back",
  FAILED: "the bank declined, or could not be asked; nothing is charged or paid back",
  ENROLLED:
    "the outcome is not known yet: the buyer has a challenge to pass, or the bank has not decided; never charge again " +
    "because of it",
  REJECTED:
    "declined without asking the bank, a payment by a rule and a refund by an operator; nothing is charged or paid back",
  CANCELLED: "what was charged or reserved is given back, or the challenge was not passed in time",
  PENDING_APPROVAL: "a refund waits for operators, or for the bank's answer",
  CAPTURED: "what was reserved is charged, in full or in part",
} as const satisfies Record<(typeof PAYMENT_STATUSES)[number], string>;

/** A description of a field that can have these. */
export function meaningOfStatuses(statuses: readonly PaymentStatus[]): string {
  return statuses.map((status) => `${status}: ${STATUS_MEANINGS[status]}`).join(". ");
}

export const paymentStatusSchema = z
  .enum(PAYMENT_STATUSES)
  .meta({ id: "PaymentStatus", description: meaningOfStatuses(PAYMENT_STATUSES) });
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Final statuses: the merchant gets a webhook for each (spec, States and transitions). */
export const FINAL_STATUSES = ["SUCCESS", "FAILED", "REJECTED", "CANCELLED"] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** `PRE_AUTHORIZATION` and `PAYMENT` are our own names; the spec shows only REFUND. */
const TRANSACTION_TYPES = ["PRE_AUTHORIZATION", "PAYMENT", "REFUND"] as const;
export const transactionTypeSchema = z.enum(TRANSACTION_TYPES).meta({
  id: "TransactionType",
  description:
    "PRE_AUTHORIZATION: an amount is reserved, to be captured later. PAYMENT: a sale, which is charged immediately. " +
    "REFUND: an amount is paid back to the buyer",
});
