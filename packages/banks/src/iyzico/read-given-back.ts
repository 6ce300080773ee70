import { z } from "zod";

import type { AcquirerAmount, Approved, Unknown } from "@holdfast/acquirer";
import { amount, currency, optionalWord, ownName, word } from "./answer-fields.ts";
import { INVALID_ANSWER, MISMATCH } from "./read-envelope.ts";
import { SUCCESS } from "./read-payment.ts";

/**
 * The answer `success` to a cancel or a refund. iyzico signs no cancel, and the documents do not say what a refund's
 * signature covers, so it is not checked: TLS vouches for these answers.
 */
export function readGivenBack(
  answer: Readonly<Record<string, unknown>>,
  expected: AcquirerAmount & { conversationId: string; paymentId: string },
): Approved | Unknown {
  const read = givenBack.safeParse(answer);
  if (!read.success) return INVALID_ANSWER;
  const { data } = read;
  const isAbout =
    data.conversationId === expected.conversationId &&
    data.paymentId === expected.paymentId &&
    data.price === expected.amountMinor &&
    data.currency === expected.currency;
  if (!isAbout) return MISMATCH;
  return {
    kind: "approved",
    amountMinor: data.price,
    currency: data.currency,
    // `hostReference` is the payment's, and names no cancel and no refund of it.
    externalTransactionId: data.cancelHostReference ?? data.refundHostReference ?? "",
    authCode: data.authCode ?? "",
    resultCode: SUCCESS.code,
    resultMessage: SUCCESS.message,
  };
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
