import { z } from "zod";
import { amountMinorSchema, defineOperatorCommand, defineServiceCommand } from "./message.ts";

/**
 * The refunds service's commands that `payments` carries out at the bank. Only `payments` talks to banks and opens
 * their credentials, and it pays nothing that it has not reserved. It alone knows which calls may be at the bank: a copy
 * of a message finds the first one's call.
 */

/** The result code of a refund that was not sent, since a chargeback has taken its amount. */
export const CHARGED_BACK_RESULT = "charged_back";

/** A refund to carry out, or to ask about. */
const refundAtBank = z.object({
  refundId: z.uuid(),
  paymentId: z.uuid(),
  kind: z.enum(["refund", "release"]),
  amountMinor: amountMinorSchema,
  currency: z.string(),
});
export type RefundAtBank = z.infer<typeof refundAtBank>;

/** The bank's answer, in the terms of the acquirer port. The first two end a refund, if the amount is the requested one. */
export const refundAnswerSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("approved"),
    amountMinor: amountMinorSchema,
    currency: z.string(),
    externalTransactionId: z.string(),
    authCode: z.string(),
    resultCode: z.string(),
    resultMessage: z.string(),
    /** True if the refund was carried out by voiding the whole payment, so the bank reports no refund. */
    asVoid: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal("declined"),
    externalTransactionId: z.string().optional(),
    resultCode: z.string(),
    resultMessage: z.string(),
  }),
  z.object({
    kind: z.enum(["reversed", "not_found", "expired", "unknown", "not_sent"]),
    /** The cause as operators see it. */
    cause: z.string(),
    /** The time before which the bank takes no such call. */
    notBefore: z.iso.datetime().optional(),
  }),
]);
export type RefundAnswer = z.infer<typeof refundAnswerSchema>;

/** The number of different people who have to agree to a refund. */
export const approvalsRequiredSchema = z.union([z.literal(1), z.literal(2)]);

/**
 * One person's consent to a refund. The operators' listener sends it here before it sends the approval to
 * `refunds`. Whatever `refunds` says, a refund is paid only if `payments` itself has verified the people
 * (docs/adr/0062).
 */
export const agreeToRefund = defineOperatorCommand({
  service: "payments",
  name: "agree-to-refund",
  role: "approver",
  recentSignIn: true,
  work: "write",
  request: z.object({
    refundId: z.uuid(),
    /** The amount that the person has seen; another amount than the reserved one is refused. */
    seen: z.object({ amountMinor: amountMinorSchema, currency: z.string() }).optional(),
    /** Takes the consent back, where nothing was sent by it: `refunds` has refused the person. */
    withdrawn: z.literal(true).optional(),
  }),
  result: z.object({ approvalsRequired: approvalsRequiredSchema }),
});
export type AgreeToRefund = z.infer<typeof agreeToRefund.request>;

const senders = ["refunds"] as const;

/**
 * One step of a refund at the bank: it is sent, or inquired about and sent again if that is safe. It is
 * repeated until the answer is `approved` or `declined`; `not_found` says that it may still arrive. It is
 * refused if its amount is not reserved, or if not enough people have agreed.
 */
export const carryOutRefundAtBank = defineServiceCommand({
  service: "payments",
  name: "carry-out-refund",
  senders,
  /** `resumed`: the refund may have been sent before, even if `payments` does not know it after a restore. */
  request: refundAtBank.extend({ resumed: z.boolean() }),
  result: z.object({
    answer: refundAnswerSchema,
    /** Our reference of the last call. */
    reference: z.string(),
    /** The next step need not wait. */
    again: z.literal("now").optional(),
  }),
});
export type RefundToCarryOut = z.infer<typeof carryOutRefundAtBank.request>;

/** One inquiry about a refund, which sends nothing: about its last reference, or the n-th. */
export const inquireRefundAtBank = defineServiceCommand({
  service: "payments",
  name: "inquire-refund",
  senders,
  request: refundAtBank.extend({ subReference: z.int().min(1).optional() }),
  result: z.object({ answer: refundAnswerSchema }),
});
export type RefundToAskAbout = z.infer<typeof inquireRefundAtBank.request>;

/**
 * Reads the time until which a sent refund may still take effect; nothing if it no longer can. It asks no
 * bank.
 */
export const readRefundSending = defineServiceCommand({
  service: "payments",
  name: "read-refund-sending",
  senders,
  request: z.object({ refundId: z.uuid(), paymentId: z.uuid() }),
  result: z.object({ arrivesUntil: z.iso.datetime().optional() }),
});
