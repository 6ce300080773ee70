import { randomUUID } from "node:crypto";

import { z } from "zod";

import { pageToChallenge, verdictOf, type AcsSession, type CardholderAnswer } from "../../../core/index.ts";
import { failure, success } from "../answer.ts";
import type { Circumstances } from "../behaviour.ts";
import type { Merchant } from "../config.ts";
import type { Webhooks } from "../notifications.ts";
import type { ThreeDs } from "../payments.ts";
import { completionRefusals, type Completion } from "../rules.ts";
import { Decimal } from "../wire/decimal.ts";
import { messageSignature, wrongSignature } from "../wire/signature.ts";
import { defineCall, paymentById, type Call, type Caller, type Desk, type Judged } from "./call.ts";
import {
  amountField,
  commonFields,
  conversationField,
  currencyField,
  idField,
  threeDsBody,
} from "./fields.ts";
import { beginPayment, charge } from "./payment-calls.ts";

export const initialize = initializeCall("sale");
export const initializeHold = initializeCall("authorize");

/** The start of a 3-D Secure payment. No money moves: the answer has a page that the browser has to show. */
function initializeCall(operation: "authorize" | "sale"): Call {
  return defineCall({
    group: "payments",
    fault: "enrol",
    schema: threeDsBody,
    judge: (desk, caller, { callbackUrl, ...request }, { forcedCode }, nowMs) => {
      if (forcedCode) return { outcome: failure(forcedCode) };
      const begun = beginPayment(desk, caller, operation, request, nowMs);
      if ("refusal" in begun) return { outcome: failure(begun.refusal) };
      if (begun.plan.threeDs === "refused") return { outcome: failure("10220") };
      const { conversationData } = desk.modes;
      const token = randomUUID();
      const page = pageToChallenge(caller.publicUrl, token);
      const threeDSHtmlContent = Buffer.from(page).toString("base64");
      const { paymentId } = begun.line;
      return {
        outcome: success({ threeDSHtmlContent, paymentId }, ["paymentId", "conversationId"]),
        event: { kind: "started", token, callbackUrl, conversationData, ...begun },
      };
    },
  });
}

/** The end of the first version names the payment only. */
export const completeV1 = defineCall({
  group: "payments",
  fault: "complete",
  schema: z.object({
    ...commonFields,
    paymentId: idField,
    conversationData: z
      .string()
      .max(1_000)
      .nullish()
      .transform((data) => data ?? ""),
  }),
  behaviour: behaviourOfCard,
  judge: complete,
});

/** The end of the second version repeats the data of the start. */
export const completeV2 = defineCall({
  group: "payments",
  fault: "complete",
  schema: z
    .object({
      ...commonFields,
      paymentId: idField,
      paidPrice: amountField,
      basketId: conversationField,
      currency: currencyField,
    })
    .transform(({ paymentId, conversationId, paidPrice, basketId, currency }) => ({
      paymentId,
      conversationId,
      start: { amountMinor: paidPrice, basketId, currency },
    })),
  behaviour: behaviourOfCard,
  judge: complete,
});

function complete(
  desk: Desk,
  caller: Caller,
  { paymentId, ...asked }: Omit<Completion, "payment"> & { paymentId: string },
  circumstances: Circumstances,
  nowMs: number,
): Judged {
  const payment = paymentById(desk, caller, paymentId);
  if (!payment) return { outcome: failure("5002") };
  const { line, threeDs } = payment;
  const refusal = verdictOf(completionRefusals, { ...asked, payment });
  if (refusal === "as_declined") return { outcome: failure(line.resultCode ?? "10220") };
  if (refusal || !threeDs) return { outcome: failure(refusal ?? "5002") };
  const { mdStatus, plan } = threeDs;
  const facts = { ...line.payment, isThreeDs: true, mdStatus };
  return charge(desk, { line: { ...line, payment: facts }, plan }, threeDs, circumstances, nowMs);
}

/** The card's behaviour counts where its money can move, so not before the authentication and not again after it. */
function behaviourOfCard(desk: Desk, caller: Caller, { paymentId }: { paymentId: string }) {
  const { line, threeDs } = paymentById(desk, caller, paymentId) ?? {};
  const isReturned = line?.outcome === "started" && threeDs?.returnStatus;
  return isReturned && threeDs ? threeDs.plan.behaviour : "plain";
}

/** A session as the issuer's pages see it. Only the first answer counts, and only it has a webhook. */
export function acsSessionOf(
  { bank, modes }: Desk,
  webhooks: Webhooks,
  merchant: Merchant,
  threeDs: ThreeDs,
): AcsSession {
  const { token, callbackUrl, line, plan } = threeDs;
  const { paymentId, orderId: paymentConversationId } = line;
  return {
    id: token,
    paying: `${Decimal.ofMinor(BigInt(line.amountMinor)).short} ${line.currency}`,
    isOpen: threeDs.returnStatus === null,
    isTooLate: () => false,
    unasked: answersOfPlans[plan.threeDs],
    answer: async (answer) => {
      const { status, mdStatus } = verdictOn(answer, threeDs, modes.mdStatus);
      await bank.note({ kind: "returned", token, status, mdStatus });
      const notice = status === "success" ? ("CALLBACK_THREEDS" as const) : ("FAILURE" as const);
      webhooks.send(merchant, {
        iyziEventType: "THREE_DS_CALLBACK",
        paymentId,
        paymentConversationId,
        status: notice,
      });
    },
    back: async () => {
      await bank.flushed();
      return { method: "post", url: callbackUrl, fields: returnFields(modes, merchant, threeDs) };
    },
  };
}

const answersOfPlans: Partial<Record<ThreeDs["plan"]["threeDs"], CardholderAnswer>> = {
  frictionless: "right_code",
  fails: "wrong_code",
};

function verdictOn(answer: CardholderAnswer, { plan }: ThreeDs, forced: string | null) {
  if (answer !== "right_code") return { status: "failure", mdStatus: "0" } as const;
  if (forced === null) return { status: "success", mdStatus: plan.mdStatus } as const;
  return { status: forced === "1" ? ("success" as const) : ("failure" as const), mdStatus: forced };
}

/** The fields that the browser brings back to the merchant. */
function returnFields(
  { returns, returnSignatures }: Desk["modes"],
  { secretKey }: Merchant,
  { line, conversationData, returnStatus, mdStatus }: ThreeDs,
): [string, string][] {
  const fields = {
    status: returnStatus ?? "failure",
    paymentId: returns === "other_payment" ? String(Number(line.paymentId) + 1) : line.paymentId,
    conversationData,
    conversationId: line.orderId,
    mdStatus: mdStatus ?? "0",
  };
  if (returnSignatures === "missing") return Object.entries(fields);
  const { conversationId, paymentId, status } = fields;
  const signed = [conversationData, conversationId, fields.mdStatus, paymentId, status];
  const right = messageSignature(secretKey, signed);
  const signature = returnSignatures === "wrong" ? wrongSignature(right) : right;
  return Object.entries({ ...fields, signature });
}
