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

export const paymentStatusSchema = z.enum(PAYMENT_STATUSES).meta({ id: "PaymentStatus" });
export type PaymentStatus = z.infer<typeof paymentStatusSchema>;

/** Final statuses: each is told to the merchant by webhook (spec, States and transitions). */
export const FINAL_STATUSES = ["SUCCESS", "FAILED", "REJECTED", "CANCELLED"] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** `PRE_AUTHORIZATION` and `PAYMENT` are our own names; the spec shows only REFUND. */
const TRANSACTION_TYPES = ["PRE_AUTHORIZATION", "PAYMENT", "REFUND"] as const;
export const transactionTypeSchema = z.enum(TRANSACTION_TYPES).meta({ id: "TransactionType" });
