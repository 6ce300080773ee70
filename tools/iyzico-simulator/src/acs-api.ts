import type { IncomingMessage, ServerResponse } from "node:http";

import { readBody, replyPage, replyTooLarge, messagePage, RIGHT_CODE } from "@holdfast/bank-simulator/core";

import type { Payment, ThreeDs } from "./bank/payment.ts";
import type { CardholderAnswer, ThreeDsDesk } from "./bank/three-ds-desk.ts";
import type { Bank } from "./bank/bank.ts";
import { challengePage, returnPage } from "./calls/acs-pages.ts";
import type { Office } from "./calls/call.ts";
import type { Merchant } from "./control/merchants.ts";
import type { Modes } from "./control/modes.ts";
import { messageSignature, wrongSignature } from "./wire/signature.ts";

export type AcsDeps = {
  bank: Bank;
  threeDs: ThreeDsDesk;
  modes: Readonly<Modes>;
  merchants: readonly Merchant[];
  notify: Office["notify"];
};

/** The pages of the cardholder's bank (iyzico protocol, 3-D Secure). @returns false where the target is another's. */
export async function routeAcs(
  deps: AcsDeps,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (target !== "POST /acs/challenge" && target !== "POST /acs/answer") return false;
  const body = await readBody(request);
  if (body.kind === "too_large") {
    replyTooLarge(response);
    return true;
  }
  const form = new URLSearchParams(body.text);
  const token = form.get("token") ?? "";
  const payment = deps.bank.ofToken(token);
  if (!payment?.threeDs) {
    replyPage(response, 404, messagePage("Your bank does not know this payment."));
    return true;
  }
  const answer = target === "POST /acs/answer" ? answerOf(form) : answerWithoutChallenge(payment.threeDs);
  if (answer === undefined && payment.threeDs.returnStatus === null) {
    replyPage(response, 200, challengePage(payment, token));
    return true;
  }
  if (answer) await endAuthentication(deps, payment, payment.threeDs, answer);
  replyPage(
    response,
    200,
    returnPage(payment.threeDs.callbackUrl, returnFields(deps, payment, payment.threeDs)),
  );
  return true;
}

function answerOf(form: URLSearchParams): CardholderAnswer {
  if (form.get("answer") === "cancel") return "cancelled";
  return form.get("code") === RIGHT_CODE ? "right_code" : "wrong_code";
}

function answerWithoutChallenge({ plan }: ThreeDs): CardholderAnswer | undefined {
  if (plan.threeDs === "frictionless") return "right_code";
  return plan.threeDs === "fails" ? "wrong_code" : undefined;
}

/** Only the first answer counts, and only it has a webhook. */
async function endAuthentication(
  { threeDs: desk, merchants, notify }: AcsDeps,
  payment: Payment,
  threeDs: ThreeDs,
  answer: CardholderAnswer,
): Promise<void> {
  const isFirst = threeDs.returnStatus === null;
  await desk.end(payment, threeDs, answer);
  const merchant = merchants.find(({ merchantId }) => merchantId === payment.merchantId);
  if (!isFirst || !merchant) return;
  notify(merchant, {
    iyziEventType: "THREE_DS_CALLBACK",
    paymentId: payment.paymentId,
    paymentConversationId: payment.conversationId,
    status: threeDs.returnStatus === "success" ? "CALLBACK_THREEDS" : "FAILURE",
  });
}

function returnFields({ merchants, modes }: AcsDeps, payment: Payment, threeDs: ThreeDs) {
  const status = threeDs.returnStatus ?? "failure";
  const mdStatus = threeDs.mdStatus ?? "0";
  const { conversationData } = threeDs;
  const { conversationId } = payment;
  const paymentId =
    modes.returns === "other_payment" ? String(Number(payment.paymentId) + 1) : payment.paymentId;
  const secretKey = merchants.find(({ merchantId }) => merchantId === payment.merchantId)?.secretKey ?? "";
  const signed = [conversationData, conversationId, mdStatus, paymentId, status];
  const right = messageSignature(secretKey, signed);
  const signature = modes.returnSignatures === "wrong" ? wrongSignature(right) : right;
  const fields = { status, paymentId, conversationData, conversationId, mdStatus };
  return Object.entries(modes.returnSignatures === "missing" ? fields : { ...fields, signature });
}
