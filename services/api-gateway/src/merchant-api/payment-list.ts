import { LOOK_UP_FILTERS, operations, type ListFilter } from "@holdfast/contracts";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendCommand } from "../bus/send-command.ts";
import type { Call } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { rangeFaults } from "../lists/check-list-query.ts";
import { defineListRoute, type ListDeps } from "../lists/list-route.ts";
import type { ReadPart } from "../lists/read-page.ts";
import type { Row } from "../lists/row-columns.ts";

type Deps = { send: SendCommand; lists: ListDeps };

/** The lists of a merchant's payments and refunds. Whose they are is known from the sign-in, and from nothing else. */
export function paymentListRoutes({ send, lists }: Deps) {
  return [
    defineListRoute(operations.listPayments, lists, (call) => {
      const { limit: _limit, cursor: _cursor, bom: _bom, ...filter } = call.query;
      const errors = rangeFaults(filter, new Date(), { statusHasIndex: true, lookUps: LOOK_UPS });
      if (errors.length > 0) return new Refusal("validation_failed", { members: { errors } });
      const parts = [
        ...(filter.transactionType === "REFUND" ? [] : [paymentsPart(send, call, filter)]),
        ...((filter.transactionType ?? "REFUND") === "REFUND" ? [refundsPart(send, call, filter)] : []),
      ];
      return { name: "payments", audience: call.caller.merchantId, parts };
    }),
    defineListRoute(operations.listPaymentRefunds, lists, async (call) => {
      const { paymentId } = call.path;
      call.exchange.paymentId = paymentId;
      const payment = await send(operations.getPayment.command, call, { paymentId });
      if (!("result" in payment)) return refusalOf(payment);
      const parts = [refundsPart(send, call, { parentPaymentId: paymentId })];
      return { name: `refunds-of-${paymentId}`, audience: call.caller.merchantId, parts };
    }),
  ];
}

const LOOK_UPS = LOOK_UP_FILTERS.filter((name) => name in operations.listPayments.queryParameters.shape);

type MerchantCall = Pick<Call<typeof operations.listPayments>, "exchange" | "caller">;

function paymentsPart(send: SendCommand, call: MerchantCall, filter: ListFilter): ReadPart<Row> {
  return async (part) => {
    const reply = await send(operations.listPayments.command, call, { ...part, filter });
    return "result" in reply ? reply.result : refusalOf(reply);
  };
}

function refundsPart(
  send: SendCommand,
  call: MerchantCall,
  filter: ListFilter & { parentPaymentId?: string },
): ReadPart<Row> {
  return async (part) => {
    const reply = await send(operations.listPaymentRefunds.command, call, { ...part, filter });
    return "result" in reply ? reply.result : refusalOf(reply);
  };
}
