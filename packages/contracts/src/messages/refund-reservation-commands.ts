import { z } from "zod";
import { DOM_INT } from "../http/bin.ts";
import { refundedPaymentSchema } from "../http/refund-parts.ts";
import { approvalsRequiredSchema } from "./refund-bank-commands.ts";
import { amountMinorSchema, defineCommand, defineServiceCommand } from "./message.ts";

/**
 * The refunds service's commands to `payments`, where status and amount live: to reserve a part of a payment before a
 * refund is shown to anybody, and to settle or release that reservation when the refund has ended. Each is idempotent
 * by the refund's id; a refusal stays as a tombstone, so that a late copy cannot reserve after all.
 */

/** The facts of its payment that a refund record repeats, and the way it is executed at the acquirer. */
export const refundReservationSchema = z.object({
  refundId: z.uuid(),
  /** `release` where the payment is an authorization that was not captured. */
  kind: z.enum(["refund", "release"]),
  /** The account that the payment is stored with. */
  accountId: z.uuid(),
  /** The number of approvals that the refund needs, counting the payment's present refunds. */
  approvalsRequired: approvalsRequiredSchema,
  payment: z.object({
    paymentId: z.uuid(),
    orderId: z.string(),
    currency: z.string(),
    currencyExponent: z.int(),
    installmentCount: z.int(),
    cardHolderName: z.string(),
    pan: z.string(),
    domInt: z.enum(DOM_INT).optional(),
    cardScheme: z.string().optional(),
    cardType: z.string().optional(),
    cardSubType: z.string().optional(),
    loyaltyCode: z.string().optional(),
    customerId: z.string().optional(),
  }),
});
export type RefundReservation = z.infer<typeof refundReservationSchema>;

const senders = ["refunds"] as const;

export const reserveRefund = defineCommand({
  service: "payments",
  senders,
  name: "reserve-refund",
  work: "write",
  request: z.object({
    refundId: z.uuid(),
    paymentId: z.uuid(),
    amountMinor: amountMinorSchema,
    currency: z.string(),
    /** The people who may not agree to it: who has asked, or issued the credential that did. */
    askedBy: z.array(z.string().min(1).max(1_000)).max(2),
  }),
  result: refundReservationSchema,
});
export type ReserveRefund = z.infer<typeof reserveRefund.request>;

const ended = { request: z.object({ refundId: z.uuid() }), result: z.object({ refundId: z.uuid() }) };

/** The refund was paid out: the reserved amount is refunded (or released). */
export const settleRefund = defineCommand({
  service: "payments",
  name: "settle-refund",
  work: "write",
  senders,
  ...ended,
});

/** The refund was rejected or failed, or was never acknowledged: the reserved amount is free again. */
export const releaseRefund = defineCommand({
  service: "payments",
  name: "release-refund",
  work: "write",
  senders,
  ...ended,
});

/** The refundable amounts of payments and the approvals that their refunds need, for the operators' queue; unknown payments are left out. */
export const readRefundableAmounts = defineServiceCommand({
  service: "payments",
  senders,
  name: "refundable-amounts",
  work: "read",
  request: z.object({ paymentIds: z.array(z.uuid()).max(200) }),
  result: z.object({
    items: z.array(
      z.object({
        paymentId: z.uuid(),
        amount: z.number(),
        approvalsRequired: approvalsRequiredSchema,
        ofPayment: refundedPaymentSchema,
      }),
    ),
  }),
});

/** A reservation as `payments` has it, tombstones included. */
export const storedReservationSchema = z.object({
  refundId: z.uuid(),
  /** Zeros for a refund that was ended before it was reserved. */
  paymentId: z.uuid(),
  merchantId: z.uuid().optional(),
  amountMinor: amountMinorSchema,
  kind: z.enum(["refund", "release"]).optional(),
  state: z.enum(["ACTIVE", "SETTLED", "RELEASED", "REFUSED"]),
  /** The age by the clock of payments' database. */
  ageSeconds: z.int(),
});
export type StoredReservation = z.infer<typeof storedReservationSchema>;

/**
 * Reservations in the order of the refunds' ids, with which the two services are compared: either all after
 * an id, or those of given refunds.
 */
export const listRefundReservations = defineServiceCommand({
  service: "payments",
  senders,
  name: "refund-reservations",
  request: z.union([
    z.object({ after: z.uuid().optional(), limit: z.int().min(1).max(500) }),
    z.object({ refundIds: z.array(z.uuid()).max(500) }),
  ]),
  result: z.object({ items: z.array(storedReservationSchema) }),
});
