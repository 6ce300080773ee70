import { randomUUIDv7 } from "node:crypto";
import type { CardSealer } from "@holdfast/sealing";
import { checkSale, operations } from "@holdfast/contracts";
import { createdAnswer } from "../bus/command-answer.ts";
import { type SendCommand } from "../bus/send-command.ts";
import { defineRoute } from "../endpoint/route.ts";
import { cardPaymentOf, installmentTotalOf } from "./card-payment.ts";

/** POST /api/payment: reserves and captures in one step. Otherwise it is like a pre-authorization. */
export function saleRoute({ send, cards }: { send: SendCommand; cards: CardSealer }) {
  return defineRoute(
    operations.pay,
    async (call) => {
      const paymentId = randomUUIDv7();
      call.exchange.paymentId = paymentId;
      const { merchantId } = call.caller;
      const { installmentCount, loyaltyCode } = call.body;
      const reply = await send(operations.pay.command, call, {
        ...cardPaymentOf(cards, call.body, { paymentId, merchantId }),
        ...(installmentCount && { installmentCount: Number(installmentCount.source) }),
        ...installmentTotalOf(call.body),
        ...(loyaltyCode !== undefined && { loyaltyCode }),
      });
      return createdAnswer(call.exchange, reply, paymentId);
    },
    checkSale,
  );
}
