import { randomUUIDv7 } from "node:crypto";
import { checkAmount, operations, toMerchantAnswer } from "@holdfast/contracts";
import { refusalOf, replayedHeader } from "../bus/command-answer.ts";
import { type SendCommand } from "../bus/send-command.ts";
import { defineRoute } from "../endpoint/route.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";

/**
 * POST /api/payment/{paymentId}/refund. The refund's id is generated here, so that a command sent twice is one refund and
 * a 504 can name it.
 */
export function refundRoute({ send }: { send: SendCommand }) {
  return defineRoute(
    operations.requestRefund,
    async (call) => {
      const refundId = randomUUIDv7();
      call.exchange.paymentId = refundId;
      const reply = await send(operations.requestRefund.command, call, {
        refundId,
        paymentId: call.path.paymentId,
        amountMinor: amountMinorOf(call.body),
        currency: call.body.currency,
        ...(call.body.reason !== undefined && { reason: call.body.reason }),
      });
      if (!("result" in reply)) return refusalOf(reply, refundId);
      // A replay answers with the first request's refund, not with the id generated for this one.
      call.exchange.paymentId = reply.result.paymentId;
      const Location = `/api/payment/${reply.result.paymentId}`;
      const body = toMerchantAnswer(reply.result);
      return { status: 202, headers: { Location, ...replayedHeader(reply) }, body };
    },
    (fields, _now, addFault) => checkAmount(fields, addFault),
  );
}
