import { z } from "zod";

import type { AcquirerAmount, Approved, Unknown } from "@holdfast/acquirer";
import { amount, currency, fee, optionalWord, ownName, word } from "./answer-fields.ts";
import type { IyzicoSecrets } from "./iyzico-settings.ts";
import { INVALID_ANSWER, MISMATCH } from "./read-envelope.ts";
import { isGenuine } from "./signatures.ts";

/**
 * The payment that an answer to a payment or a capture has to be about. `paymentId` where iyzico has named the payment
 * before.
 */
export type ExpectedPayment = AcquirerAmount & {
  conversationId: string;
  basketId: string;
  phase: Phase;
  paymentId?: string;
};

export type Phase = "AUTH" | "PRE_AUTH" | "POST_AUTH";

/**
 * The answer `success` to a sale, a pre-authorization, a capture, or the second half of 3-D Secure. Only one that iyzico has
 * signed, and that names our order, reference, amount and currency, is an approval.
 */
export function readPayment(
  answer: Readonly<Record<string, unknown>>,
  expected: ExpectedPayment,
  secrets: IyzicoSecrets,
): Approved | Unknown {
  const signed = signedFields.safeParse(answer);
  if (!signed.success || !isGenuine("payment", signed.data, secrets)) return INVALID_ANSWER;
  const read = paymentAnswer.safeParse(answer);
  if (!read.success) return INVALID_ANSWER;
  const payment = read.data;
  if (!isAbout(payment, expected)) return MISMATCH;
  // Refused by the fraud desk after the issuer approved: an inquiry shows what remains of it.
  if (payment.fraudStatus === "-1") return PENDING;
  return {
    kind: "approved",
    amountMinor: payment.paidPrice,
    currency: payment.currency,
    externalTransactionId: payment.paymentId,
    authCode: payment.authCode ?? "",
    resultCode: SUCCESS.code,
    resultMessage: SUCCESS.message,
    ...feeOf(payment),
    ...reviewOf(payment.fraudStatus),
  };
}

/** iyzico has no code and no message for a success but its status. */
export const SUCCESS = { code: "success", message: "" } as const;

const PENDING: Unknown = { kind: "unknown", reason: "pending" };

/** The signature covers the texts as they were written; a number is its source text. */
const signedFields = z.record(z.string(), z.unknown()).transform((fields) =>
  Object.fromEntries(
    ["paymentId", "currency", "basketId", "conversationId", "paidPrice", "price", "signature"].map((name) => {
      const value = fields[name];
      return [name, typeof value === "string" ? value : undefined] as const;
    }),
  ),
);

const paymentAnswer = z.object({
  paymentId: word,
  conversationId: ownName,
  basketId: ownName,
  currency,
  price: amount,
  paidPrice: amount,
  phase: optionalWord,
  fraudStatus: z.enum(["-1", "0", "1"]).nullish(),
  authCode: optionalWord,
  iyziCommissionRateAmount: fee,
  iyziCommissionFee: fee,
});
type PaymentAnswer = z.output<typeof paymentAnswer>;

/** After a capture of a part, `price` is still the sum of the basket. */
function isAbout(payment: PaymentAnswer, expected: ExpectedPayment): boolean {
  return (
    payment.conversationId === expected.conversationId &&
    payment.basketId === expected.basketId &&
    payment.currency === expected.currency &&
    payment.paidPrice === expected.amountMinor &&
    (expected.phase === "POST_AUTH" || payment.price === expected.amountMinor) &&
    (payment.phase === undefined || payment.phase === expected.phase) &&
    (expected.paymentId === undefined || payment.paymentId === expected.paymentId)
  );
}

/** iyzico's fee: its rate and its fixed fee. */
function feeOf({ iyziCommissionRateAmount: rate, iyziCommissionFee: fixed }: PaymentAnswer) {
  return rate === undefined && fixed === undefined ? {} : { feeMinor: (rate ?? 0n) + (fixed ?? 0n) };
}

/** `0` is in review; a payment without the field was not looked at. */
function reviewOf(fraudStatus: PaymentAnswer["fraudStatus"]): Pick<Approved, "fraudReview"> {
  if (fraudStatus === "0") return { fraudReview: "in_review" };
  return fraudStatus === "1" ? { fraudReview: "accepted" } : {};
}
