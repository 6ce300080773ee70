import { randomUUIDv7 } from "node:crypto";
import {
  agreeToRefund,
  approveOperatorRefund,
  approveRefund,
  checkAmount,
  describePayment,
  describeRefund,
  getOperatorRefund,
  idInMode,
  inquireOperatorRefund,
  inquireRefund,
  rejectOperatorRefund,
  rejectRefund,
  requestOperatorRefund,
  requestRefundForMerchant,
  resolveOperatorRefund,
  resolveRefund,
  type CommandReply,
  type OperatorRefundDetail,
} from "@holdfast/contracts";
import type { Exchange } from "../http/exchange.ts";
import { operatorRefusalOf } from "../bus/command-answer.ts";
import { type SendOperatorCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { defineRoute, type Answer } from "../endpoint/route.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";

/** The operators' routes that show refunds and decide about them. */
export function refundRoutes({ send }: { send: SendOperatorCommand }) {
  return [
    defineRoute(getOperatorRefund, async (call) => {
      return answer(call.exchange, await send(describeRefund, call, call.path));
    }),
    approveRoute({ send }),
    defineRoute(rejectOperatorRefund, async (call) => {
      const { reason } = call.body;
      return answer(call.exchange, await send(rejectRefund, call, { ...call.path, reason }));
    }),
    defineRoute(inquireOperatorRefund, async (call) => {
      return answer(call.exchange, await send(inquireRefund, call, call.path));
    }),
    defineRoute(resolveOperatorRefund, async (call) => {
      const { outcome, evidence } = call.body;
      return answer(call.exchange, await send(resolveRefund, call, { ...call.path, outcome, evidence }));
    }),
    requestForMerchantRoute({ send }),
  ];
}

/** `payments` hears from the person itself, so that it need not believe `refunds` when money is to go out. */
function approveRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(
    approveOperatorRefund,
    async (call) => {
      const { note, amount, currency } = call.body;
      const seen = amount !== undefined &&
        currency !== undefined && { amountMinor: amountMinorOf({ amount, currency }), currency };
      const agreed = await send(agreeToRefund, call, { ...call.path, ...(seen && { seen }) });
      if (!("result" in agreed)) return operatorRefusalOf(agreed);
      const { approvalsRequired } = agreed.result;
      const decision = { ...call.path, approvalsRequired, ...(note !== undefined && { note }) };
      return answer(call.exchange, await send(approveRefund, call, decision));
    },
    (fields, _now, addFault) => {
      const { amount, currency } = fields;
      if ((amount === undefined) !== (currency === undefined))
        addFault(amount === undefined ? "amount" : "currency", "required", "amount and currency go together");
      checkAmount(fields, addFault);
    },
  );
}

/** The payments service says whose the payment is; the refund is that merchant's. */
function requestForMerchantRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(
    requestOperatorRefund,
    async (call) => {
      const { paymentId } = call.path;
      const payment = await send(describePayment, call, call.path);
      if (!("result" in payment)) return operatorRefusalOf(payment);
      const { merchantId, livemode } = payment.result;
      const refundId = call.exchange.keyedWork?.resourceId ?? randomUUIDv7();
      const reply = await send(requestRefundForMerchant, call, {
        refundId,
        paymentId,
        merchantId: idInMode(merchantId, livemode),
        amountMinor: amountMinorOf(call.body),
        currency: call.body.currency,
        reason: call.body.reason,
      });
      if (reply.outcome === "in_doubt")
        return new Refusal("outcome_unknown", { members: { paymentId: refundId } });
      if (!("result" in reply)) return operatorRefusalOf(reply);
      tagLog(call.exchange, reply.result);
      const Location = `/operator/refunds/${reply.result.refundId}`;
      return { status: 202, headers: { Location }, body: reply.result };
    },
    (fields, _now, addFault) => checkAmount(fields, addFault),
  );
}

function answer(exchange: Exchange, reply: CommandReply<OperatorRefundDetail>): Answer<200> | Refusal {
  if (!("result" in reply)) return operatorRefusalOf(reply);
  tagLog(exchange, reply.result);
  return { status: 200, body: reply.result };
}

/** Names the refund and its merchant in the log line. */
function tagLog(exchange: Exchange, { refundId, merchantId }: OperatorRefundDetail): void {
  exchange.paymentId = refundId;
  exchange.merchantId = merchantId;
}
