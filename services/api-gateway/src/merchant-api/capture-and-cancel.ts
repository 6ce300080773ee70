import { randomUUIDv7 } from "node:crypto";
import {
  cancel,
  cancelPayment,
  capture,
  capturePayment,
  toMerchantAnswer,
  type ApiPaymentResponse,
  type CommandReply,
} from "@holdfast/contracts";
import { QUERY_AFTER_S, refusalOf, replayedHeader, type SendCommand } from "../bus/command-answer.ts";
import { defineRoute } from "../endpoint/route.ts";

/**
 * POST /api/payment/{paymentId}/capture. The operation's id is drawn here, so that a command sent twice is one capture.
 */
export function captureRoute({ send }: { send: SendCommand }) {
  return defineRoute(capture, async (call) => {
    const { paymentId } = call.path;
    call.exchange.paymentId = paymentId;
    const { amount, currency } = call.body;
    const reply = await send(capturePayment, call, {
      paymentId,
      operationId: randomUUIDv7(),
      ...(amount && { amount: amount.source }),
      ...(currency !== undefined && { currency }),
    });
    return changedAnswer(reply, paymentId);
  });
}

/** POST /api/payment/{paymentId}/cancel. */
export function cancelRoute({ send }: { send: SendCommand }) {
  return defineRoute(cancel, async (call) => {
    const { paymentId } = call.path;
    call.exchange.paymentId = paymentId;
    const { reason } = call.body;
    const reply = await send(cancelPayment, call, {
      paymentId,
      operationId: randomUUIDv7(),
      ...(reason !== undefined && { reason }),
    });
    return changedAnswer(reply, paymentId);
  });
}

/** 200 with the payment, or 202 with the payment as it was before while the outcome is not known. */
function changedAnswer(reply: CommandReply<ApiPaymentResponse>, paymentId: string) {
  if (!("result" in reply)) return refusalOf(reply, paymentId);
  const body = toMerchantAnswer(reply.result);
  return reply.outcome === "done"
    ? ({ status: 200, headers: replayedHeader(reply), body } as const)
    : ({ status: 202, headers: { "Retry-After": QUERY_AFTER_S }, body } as const);
}
