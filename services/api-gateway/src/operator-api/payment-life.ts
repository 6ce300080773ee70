import { LIFE_PART_MAX, operations, readAuditLog, type LifePart } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Call } from "../endpoint/route.ts";
import { findMerchantNames } from "../merchant/merchant-names.ts";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase> };

/**
 * GET /operator/payments/{paymentId}: each service answers for its part, under the operator's own token. A
 * missing part is a 503: an answer without refunds would say that there are none.
 */
export function paymentLifeRoute({ send, db }: Deps) {
  return defineRoute(operations.getOperatorPayment, async (call) => {
    const { paymentId } = call.path;
    const payment = await send(operations.getOperatorPayment.command, call, { paymentId });
    if (!("result" in payment)) return refusalOf(payment);
    const { merchantId } = payment.result;
    call.exchange.merchantId = merchantId;
    const [refunds, deliveries, actions, names] = await Promise.all([
      ...partsOf(send, call, paymentId),
      findMerchantNames(db, [merchantId]),
    ]);
    if (!("result" in refunds)) return refusalOf(refunds);
    if (!("result" in deliveries)) return refusalOf(deliveries);
    if (!("result" in actions)) return refusalOf(actions);
    const parts = {
      refunds: refunds.result.items.map(({ item }) => item),
      deliveries: deliveries.result.items,
      actions: actions.result.entries.slice(0, LIFE_PART_MAX),
    };
    const more: Record<LifePart, boolean> = {
      refunds: refunds.result.readTo !== undefined,
      deliveries: deliveries.result.nextCursor !== undefined,
      actions: actions.result.entries.length > LIFE_PART_MAX,
    };
    const merchantName = names.get(merchantId);
    return {
      status: 200,
      body: {
        ...payment.result,
        ...(merchantName !== undefined && { merchantName }),
        ...parts,
        more: (Object.keys(more) as LifePart[]).filter((part) => more[part]),
      },
    };
  });
}

function partsOf(
  send: SendOperatorCommand,
  call: Call<typeof operations.getOperatorPayment>,
  paymentId: string,
) {
  return [
    send(operations.listRefunds.command, call, {
      filter: { parentPaymentId: paymentId },
      limit: LIFE_PART_MAX,
    }),
    send(operations.listWebhookDeliveries.command, call, { paymentId, limit: LIFE_PART_MAX }),
    send(readAuditLog.payments, call, { subject: paymentId, limit: LIFE_PART_MAX + 1 }),
  ] as const;
}
