import { z } from "zod";

import type { Unknown } from "@holdfast/acquirer";
import { amount, currency, optionalWord, ownName, word } from "./answer-fields.ts";
import { INVALID_ANSWER, MISMATCH } from "./read-envelope.ts";

/** iyzico's record of one order: its payments, with the cancels and refunds of each. */
export type OrderDetails = { kind: "payments"; payments: readonly ReportedPayment[] } | Unknown;

/**
 * The answer `success` of `GET /v2/reporting/payment/details`. An order that iyzico does not know has no payments.
 * @param orderId by which it was asked.
 */
export function readDetails(answer: Readonly<Record<string, unknown>>, orderId: string): OrderDetails {
  const read = details.safeParse(answer);
  if (!read.success) return INVALID_ANSWER;
  const { payments } = read.data;
  if (payments.some(({ paymentConversationId }) => paymentConversationId !== orderId)) return MISMATCH;
  return { kind: "payments", payments };
}

/** Only 1 is a success; with 2 and 3 the 3-D Secure has not ended. */
export const PAYMENT_STATUS = {
  failure: "0",
  success: "1",
  threeDsBegun: "2",
  threeDsReturned: "3",
} as const;

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((given) => given ?? undefined);
const list = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(schema)
    .max(ROWS_MAX)
    .nullish()
    .transform((given) => given ?? []);
/** More than an answer of 64 KiB can have. */
const ROWS_MAX = 500;

/** Only with its zone: a wrong guess could make a movement older than our call. */
const instant = z
  .string()
  .nullish()
  .transform((given) => {
    const at = new Date(given && NAMES_ITS_ZONE.test(given) ? given : Number.NaN);
    return Number.isNaN(at.getTime()) ? undefined : at;
  });
const NAMES_ITS_ZONE = /^\d{4}-\d\d-\d\dT[\d:.]{5,18}(Z|[+-]\d\d:?\d\d)$/;

const givenBack = {
  refundPrice: amount,
  currencyCode: currency,
  refundStatus: z.string().max(16),
  authCode: optionalWord,
  hostReference: optionalWord,
  createdDate: instant,
};
const cancel = z.object({
  ...givenBack,
  refundId: optionalWord,
  cancelConversationId: optional(z.string().max(160)),
});
const refund = z.object({
  ...givenBack,
  refundTxId: optionalWord,
  refundConversationId: optional(z.string().max(160)),
});

const named = { paymentConversationId: ownName };
const described = {
  paymentId: word,
  basketId: ownName,
  currency,
  price: amount,
  paidPrice: amount,
  fraudStatus: optionalWord,
  authCode: optionalWord,
  hostReference: optionalWord,
  createdDate: instant,
};
const phase = z.enum(["AUTH", "PRE_AUTH", "POST_AUTH"]);

const taken = z.object({
  ...named,
  ...described,
  paymentStatus: z.literal(PAYMENT_STATUS.success),
  phase,
  threeDS: optional(z.union([z.boolean(), z.string().max(8)])),
  cancels: list(cancel),
  itemTransactions: list(z.object({ refunds: list(refund) })),
});

/** Without all of these fields a failure cannot be matched to one of our calls, and counts as none of them. */
const refused = z.object({
  ...named,
  ...described,
  paymentStatus: z.literal(PAYMENT_STATUS.failure),
  phase: phase.optional().catch(undefined),
});

const open = z.object({
  ...named,
  paymentStatus: z
    .enum([PAYMENT_STATUS.failure, PAYMENT_STATUS.threeDsBegun, PAYMENT_STATUS.threeDsReturned])
    .transform(() => "open" as const),
});

export type TakenPayment = z.output<typeof taken>;
export type RefusedPayment = z.output<typeof refused>;
export type GivenBack = z.output<typeof cancel> | z.output<typeof refund>;
export type ReportedRefund = z.output<typeof refund>;
export type ReportedPayment = TakenPayment | RefusedPayment | z.output<typeof open>;

const details = z.object({ payments: z.array(z.union([taken, refused, open])).max(ROWS_MAX) });
