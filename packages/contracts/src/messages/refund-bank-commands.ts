import { z } from "zod";
import { amountMinorSchema, defineServiceCommand } from "./message.ts";

/**
 * The refunds service's commands that `payments` carries out at the bank. Only `payments` talks to banks and opens
 * their credentials, and it pays nothing that it has not reserved. The message is sent once: no copy of it may pay
 * again.
 */

/** The result code of a refund that was not sent, since a chargeback has taken its amount. */
export const CHARGED_BACK_RESULT = "charged_back";

/** A refund under one of its references. */
const refundAtBank = z.object({
  refundId: z.uuid(),
  paymentId: z.uuid(),
  kind: z.enum(["refund", "release"]),
  amountMinor: amountMinorSchema,
  currency: z.string(),
  /** The number of the reference: the next one is taken where the bank has refused the one before as too late. */
  subReference: z.int().min(1),
  /** The time of the decision, before which the bank cannot have anything of it. */
  decidedAt: z.iso.datetime(),
});
export type RefundAtBank = z.infer<typeof refundAtBank>;

/** The bank's answer, in the terms of the acquirer port. */
export const refundAnswerSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("approved"),
    amountMinor: amountMinorSchema,
    currency: z.string(),
    externalTransactionId: z.string(),
    authCode: z.string(),
    resultCode: z.string(),
    resultMessage: z.string(),
  }),
  z.object({
    kind: z.literal("declined"),
    externalTransactionId: z.string().optional(),
    resultCode: z.string(),
    resultMessage: z.string(),
  }),
  z.object({ kind: z.enum(["reversed", "not_found", "expired"]) }),
  z.object({
    kind: z.literal("unknown"),
    reason: z.enum(["timeout", "connection_lost", "invalid_answer", "mismatch", "pending"]),
  }),
  z.object({
    kind: z.literal("not_sent"),
    reason: z.enum(["credentials", "day_not_ended", "limit", "unsupported"]).optional(),
    /** The time before which the bank takes no such call. */
    notBefore: z.iso.datetime().optional(),
  }),
]);
export type RefundAnswer = z.infer<typeof refundAnswerSchema>;

const senders = ["refunds"] as const;

/** One call to the bank, which pays the refund. Refused where its amount is not reserved. */
export const carryOutRefundAtBank = defineServiceCommand({
  service: "payments",
  name: "carry-out-refund",
  senders,
  request: refundAtBank,
  result: z.object({ answer: refundAnswerSchema }),
});

/** One inquiry about a refund, with the bank's treatment of a call that it gets twice. */
export const inquireRefundAtBank = defineServiceCommand({
  service: "payments",
  name: "inquire-refund",
  senders,
  request: refundAtBank,
  result: z.object({
    answer: refundAnswerSchema,
    repetition: z.enum(["replay", "refuses_second_success", "none"]),
    /** The time after the end of our wait in which a call may still take effect. */
    lateArrivalMs: z.int().min(0),
  }),
});
