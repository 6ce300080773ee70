import { getRefund, operations, toMerchantAnswer } from "@holdfast/contracts";
import type { SendCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../endpoint/route.ts";

/**
 * GET /api/payment/{paymentId}: a payment, or else a refund. A path without a UUID, an unknown id and another merchant's
 * get the same answer. A 404 is conclusive: unless both services have said so, the answer is a 503.
 */
export function paymentRoute({ send }: { send: SendCommand }) {
  return defineRoute(operations.getPayment, async (call) => {
    const { paymentId } = call.path;
    call.exchange.paymentId = paymentId;

    const found = await send(operations.getPayment.command, call, { paymentId });
    if (found.outcome === "done") return { status: 200, body: toMerchantAnswer(found.result) };
    if (found.outcome !== "problem" || found.code !== "payment_not_found") return UNAVAILABLE;

    const refund = await send(getRefund, call, { refundId: paymentId });
    if (refund.outcome === "done") return { status: 200, body: toMerchantAnswer(refund.result) };
    const isMissing = refund.outcome === "problem" && refund.code === "refund_not_found";
    return isMissing ? new Refusal("payment_not_found") : UNAVAILABLE;
  });
}

const UNAVAILABLE = new Refusal("service_unavailable");
