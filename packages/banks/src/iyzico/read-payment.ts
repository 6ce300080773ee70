import type { AcquirerAmount, Approved, Unknown } from "@holdfast/acquirer";
import {
  amount,
  currency,
  fee,
  INVALID_ANSWER,
  MISMATCH,
  optionalWord,
  ownName,
  PENDING,
  word,
} from "@holdfast/acquirer/kit";
import { z } from "zod";

import type { Answer } from "./envelope.ts";
import type { IyzicoSecrets } from "./iyzico-settings.ts";
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
  /** The sum of the basket, if the request had one. */
  priceMinor?: bigint;
};

export type Phase = "AUTH" | "PRE_AUTH" | "POST_AUTH";

/**
 * The answer `success` to a sale, a pre-authorization, a capture, or the second half of 3-D Secure. Only one
 * that iyzico has signed, and that names our order, reference, amount and currency, is an approval.
 */
export function readPayment(
  answer: Answer,
  expected: ExpectedPayment,
  secrets: IyzicoSecrets,
): Approved | Unknown {
  const read = isGenuine("payment", answer, secrets) ? paymentAnswer.safeParse(answer) : undefined;
  if (!read?.success) return INVALID_ANSWER;
  const payment = read.data;
  if (!isOurs(payment, expected)) return MISMATCH;
  const approval: Approved = {
    ...approvalOf(payment),
    amountMinor: payment.paidPrice,
    externalTransactionId: payment.paymentId,
    ...feeOf(payment),
    ...reviewOf(payment.fraudStatus),
  };
  if (!isAsRequested(payment, expected)) return { ...MISMATCH, heard: approval };
  // Refused by the fraud desk after the issuer approved: an inquiry shows what remains of it.
  return payment.fraudStatus === "-1" ? { ...PENDING, heard: approval } : approval;
}

/** iyzico has no code and no message for a success but its status. */
export const SUCCESS = { resultCode: "success", resultMessage: "" } as const;

function approvalOf({ currency: of, authCode = "" }: { currency: string; authCode?: string | undefined }) {
  return { kind: "approved", currency: of, authCode, ...SUCCESS } as const;
}

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

function isOurs(payment: PaymentAnswer, expected: ExpectedPayment): boolean {
  return (
    payment.conversationId === expected.conversationId &&
    payment.basketId === expected.basketId &&
    (expected.paymentId === undefined || payment.paymentId === expected.paymentId)
  );
}

/**
 * `price` is the sum of the basket: less than the paid amount if the buyer pays for installments, and still
 * the whole sum after a partial capture.
 */
function isAsRequested(payment: PaymentAnswer, expected: ExpectedPayment): boolean {
  return (
    payment.currency === expected.currency &&
    payment.paidPrice === expected.amountMinor &&
    (expected.phase === "POST_AUTH" || isPrice(payment.price, expected)) &&
    (payment.phase === undefined || payment.phase === expected.phase)
  );
}

function isPrice(price: bigint, { amountMinor, priceMinor }: ExpectedPayment): boolean {
  return priceMinor === undefined ? price <= amountMinor : price === priceMinor;
}

/** iyzico's fee: its rate and its fixed fee. */
function feeOf({ iyziCommissionRateAmount: rate, iyziCommissionFee: fixed }: PaymentAnswer) {
  return rate === undefined && fixed === undefined ? {} : { feeMinor: (rate ?? 0n) + (fixed ?? 0n) };
}

/**
 * The fraud desk's verdict, which may come after the issuer's approval; a payment without a verdict was not
 * reviewed. The documents do not say that iyzico returns the money of a payment that it then refuses, so the
 * payment stays valid until a cancel or a refund is shown. An undocumented value releases no goods.
 */
export function reviewOf(fraudStatus: string | null | undefined): Pick<Approved, "fraudReview"> {
  if (fraudStatus === null || fraudStatus === undefined) return {};
  return { fraudReview: REVIEWS.get(fraudStatus) ?? "in_review" };
}

const REVIEWS: ReadonlyMap<string, Approved["fraudReview"]> = new Map([
  ["1", "accepted"],
  ["0", "in_review"],
  ["-1", "rejected"],
]);

/**
 * The answer `success` to a cancel or a refund. iyzico signs no cancel, and the documents do not say what a refund's
 * signature covers, so it is not checked: TLS vouches for these answers.
 */
export function readGivenBack(
  answer: Answer,
  expected: AcquirerAmount & { conversationId: string; paymentId: string },
): Approved | Unknown {
  const read = givenBack.safeParse(answer);
  if (!read.success) return INVALID_ANSWER;
  const { data } = read;
  if (data.conversationId !== expected.conversationId || data.paymentId !== expected.paymentId)
    return MISMATCH;
  // `hostReference` is the payment's, and names no cancel and no refund of it.
  const externalTransactionId = data.cancelHostReference ?? data.refundHostReference ?? "";
  const approval: Approved = { ...approvalOf(data), amountMinor: data.price, externalTransactionId };
  const isAsRequested = data.price === expected.amountMinor && data.currency === expected.currency;
  return isAsRequested ? approval : { ...MISMATCH, heard: approval };
}

const givenBack = z.object({
  paymentId: word,
  conversationId: ownName,
  price: amount,
  currency,
  authCode: optionalWord,
  cancelHostReference: optionalWord,
  refundHostReference: optionalWord,
});
