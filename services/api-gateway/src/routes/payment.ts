import { getPayment, payment, toMerchantAnswer } from "@holdfast/contracts";
import type { SendCommand } from "../http/command-answer.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute } from "../http/route.ts";

/**
 * GET /api/payment/{paymentId}. Not a UUID, unknown, and another merchant's are one answer. A 404 is conclusive; where the
 * owner of the payments has not said so, it is a 503.
 */
export function paymentRoute({ send }: { send: SendCommand }) {
  return defineRoute(payment, async (call) => {
    const id = getPayment.request.safeParse(call.path);
    if (!id.success) return new Refusal("payment_not_found");
    call.exchange.paymentId = id.data.paymentId;

    const reply = await send(getPayment, call, id.data);
    if (reply.outcome === "done") return { status: 200, body: toMerchantAnswer(reply.result) };
    const isMissing = reply.outcome === "problem" && reply.code === "payment_not_found";
    return new Refusal(isMissing ? "payment_not_found" : "service_unavailable");
  });
}
