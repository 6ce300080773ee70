import { randomUUIDv7 } from "node:crypto";
import type { CardSealer } from "@holdfast/sealing";
import { checkPreAuthorization, operations } from "@holdfast/contracts";
import { createdAnswer } from "../bus/command-answer.ts";
import { type SendCommand } from "../bus/send-command.ts";
import { defineRoute } from "../endpoint/route.ts";
import { cardPaymentOf } from "./card-payment.ts";

/**
 * POST /api/pre-authorization. The payment's id is generated here, so that a command sent twice is one
 * payment, and so that a merchant without an outcome knows which payment to look up. The card is sealed
 * before anything else is done with the request.
 */
export function preAuthorizationRoute({ send, cards }: { send: SendCommand; cards: CardSealer }) {
  return defineRoute(
    operations.preAuthorize,
    async (call) => {
      const paymentId = randomUUIDv7();
      call.exchange.paymentId = paymentId;
      const { merchantId } = call.caller;
      const reply = await send(
        operations.preAuthorize.command,
        call,
        cardPaymentOf(cards, call.body, { paymentId, merchantId }),
      );
      return createdAnswer(call.exchange, reply, paymentId);
    },
    checkPreAuthorization,
  );
}
