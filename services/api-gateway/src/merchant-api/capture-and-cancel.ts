import { randomUUIDv7 } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { changedAnswer } from "../bus/command-answer.ts";
import { type SendCommand } from "../bus/send-command.ts";
import { defineRoute } from "../endpoint/route.ts";

/**
 * POST /api/payment/{paymentId}/capture. The operation's id is generated here, so that a command sent twice is one capture.
 */
export function captureRoute({ send }: { send: SendCommand }) {
  return defineRoute(operations.capture, async (call) => {
    const { paymentId } = call.path;
    call.exchange.paymentId = paymentId;
    const { amount, currency } = call.body;
    const reply = await send(operations.capture.command, call, {
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
  return defineRoute(operations.cancel, async (call) => {
    const { paymentId } = call.path;
    call.exchange.paymentId = paymentId;
    const { reason } = call.body;
    const reply = await send(operations.cancel.command, call, {
      paymentId,
      operationId: randomUUIDv7(),
      ...(reason !== undefined && { reason }),
    });
    return changedAnswer(reply, paymentId);
  });
}
