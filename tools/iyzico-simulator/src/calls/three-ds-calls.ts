import { z } from "zod";

import type { Completion } from "../bank/bank-rules.ts";
import type { Circumstances } from "../bank/judged.ts";
import { startPage } from "./acs-pages.ts";
import { defineCall, failure, type Call, type Caller, type Office, type Outcome } from "./call.ts";
import { answerPayment } from "./payment-calls.ts";
import {
  amountField,
  conversationField,
  currencyField,
  idField,
  localeField,
  threeDsBody,
} from "./payment-body.ts";

export const initialize = initializeCall("sale");
export const initializeHold = initializeCall("authorize");

/** The start of a 3-D Secure payment. No money moves: the answer has a page that the browser has to show. */
function initializeCall(operation: "authorize" | "sale"): Call {
  return defineCall({
    group: "payments",
    fault: "enrol",
    schema: threeDsBody,
    carryOut: async (
      { threeDs },
      { merchant, publicUrl },
      { callbackUrl, ...request },
      { forcedCode }: Circumstances,
    ): Promise<Outcome> => {
      if (forcedCode) return failure(forcedCode);
      const started = threeDs.start(merchant.merchantId, operation, request, callbackUrl);
      if (started.kind === "refused") return failure(started.code);
      const { paymentId } = started.payment;
      const page = startPage(`${publicUrl}/acs/challenge`, started.payment.threeDs?.token ?? "");
      await started.durable;
      return {
        kind: "success",
        fields: { threeDSHtmlContent: Buffer.from(page).toString("base64"), paymentId },
        signs: ["paymentId", "conversationId"],
      };
    },
  });
}

/** The end of the first version names the payment only. */
export const completeV1 = defineCall({
  group: "payments",
  fault: "complete",
  schema: z.object({
    locale: localeField,
    conversationId: conversationField,
    paymentId: idField,
    conversationData: z.string().max(1_000).nullish(),
  }),
  behaviour: behaviourOfCard,
  carryOut: async (office, caller, { paymentId, conversationId, conversationData }, circumstances) => {
    const payment = office.bank.payment(caller.merchant.merchantId, paymentId);
    if (payment?.threeDs && (conversationData ?? "") !== payment.threeDs.conversationData)
      return failure("11");
    return await complete(office, caller, paymentId, { conversationId, start: undefined }, circumstances);
  },
});

/** The end of the second version repeats the data of the start. */
export const completeV2 = defineCall({
  group: "payments",
  fault: "complete",
  schema: z.object({
    locale: localeField,
    conversationId: conversationField,
    paymentId: idField,
    paidPrice: amountField,
    basketId: conversationField,
    currency: currencyField,
  }),
  behaviour: behaviourOfCard,
  carryOut: async (office, caller, request, circumstances) => {
    const { paymentId, conversationId, paidPrice, basketId, currency } = request;
    const start = { paidPriceMinor: paidPrice, basketId, currency };
    return await complete(office, caller, paymentId, { conversationId, start }, circumstances);
  },
});

async function complete(
  office: Office,
  caller: Caller,
  paymentId: string,
  completion: Completion,
  circumstances: Circumstances,
): Promise<Outcome> {
  const payment = office.bank.payment(caller.merchant.merchantId, paymentId);
  if (!payment) return failure("5002");
  const judged = office.teller.complete(payment, completion, circumstances);
  return await answerPayment(office, caller, judged, "THREE_DS_AUTH");
}

/** The card's behaviour counts where its money can move, so not before the authentication and not again after it. */
function behaviourOfCard({ bank }: Office, { merchant }: Caller, { paymentId }: { paymentId: string }) {
  const payment = bank.payment(merchant.merchantId, paymentId);
  return payment?.state === "returned" ? (payment.threeDs?.plan.behaviour ?? "plain") : "plain";
}
