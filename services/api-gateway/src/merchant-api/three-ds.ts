import { randomUUIDv7 } from "node:crypto";
import type { CardSealer } from "@holdfast/sealing";
import {
  checkThreeDs,
  operations,
  type ChallengeForm,
  type ChallengeWay,
  type ThreeDsResponse,
} from "@holdfast/contracts";
import { createdAnswer } from "../bus/command-answer.ts";
import { type SendCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";
import { challengeForm, leadTo } from "../public-pages/three-ds/challenge-form.ts";
import type { GenerateSession } from "../public-pages/three-ds/generate-session.ts";
import { PAGE_TEXTS } from "../public-pages/three-ds/status-page.ts";
import { cardPaymentOf, installmentTotalOf } from "./card-payment.ts";

/** POST /api/3ds: as a payment, with a session generated beside the payment's id. The answer has a challenge in two forms. */
export function threeDsRoute({
  send,
  cards,
  generateSession,
}: {
  send: SendCommand;
  cards: CardSealer;
  generateSession: GenerateSession;
}) {
  return defineRoute(
    operations.payWith3ds,
    async (call) => {
      const paymentId = randomUUIDv7();
      call.exchange.paymentId = paymentId;
      const { merchantId } = call.caller;
      const {
        installmentCount,
        loyaltyCode,
        transactionType = "PAYMENT",
        successUrl,
        failureUrl,
      } = call.body;
      const reply = await send(operations.payWith3ds.command, call, {
        ...cardPaymentOf(cards, call.body, { paymentId, merchantId }),
        ...(installmentCount && { installmentCount: Number(installmentCount.source) }),
        ...installmentTotalOf(call.body),
        ...(loyaltyCode !== undefined && { loyaltyCode }),
        transactionType,
        successUrl,
        failureUrl,
        ...generateSession(paymentId),
      });
      if (!("result" in reply)) return createdAnswer(call.exchange, reply, paymentId);
      const { challenge, challengeWay = challenge, ...result } = reply.result;
      const answer = createdAnswer(call.exchange, { ...reply, result }, paymentId);
      if (answer instanceof Refusal || !challengeWay) return answer;
      return { ...answer, body: { ...answer.body, ...wayTo(challengeWay, challenge) } };
    },
    checkThreeDs,
  );
}

/**
 * `htmlContent` is the form while there is one to post. For a page of the bank's own, which would have the powers of the
 * merchant's origin, and for what is over, it leads to our page.
 */
function wayTo(
  { pageUrl, expiresAt }: ChallengeWay,
  form: ChallengeForm | undefined,
): Pick<ThreeDsResponse, "redirectUrl" | "htmlContent" | "expiresAt"> {
  const texts = { language: "en", button: PAGE_TEXTS.en.continue };
  const page = form ? challengeForm(form, texts) : leadTo(pageUrl, texts);
  return { redirectUrl: pageUrl, htmlContent: Buffer.from(page).toString("base64"), expiresAt };
}
