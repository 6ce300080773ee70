import { randomUUIDv7 } from "node:crypto";
import { agreeToRefund, checkAmount, idInMode, operations, waitsForConsent } from "@holdfast/contracts";
import { refusalOf } from "../bus/command-answer.ts";
import { type SendOperatorCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { nameInLog } from "../endpoint/forward.ts";
import { defineRoute } from "../endpoint/route.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";

/** The operators' routes of refunds that need two services. */
export function refundRoutes({ send }: { send: SendOperatorCommand }) {
  return [approveRoute({ send }), requestForMerchantRoute({ send })];
}

/**
 * Sends the approval to `payments` first, which verifies the person itself and so need not trust `refunds`
 * when money goes out.
 */
function approveRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(
    operations.approveRefund,
    async (call) => {
      const { note, amount, currency } = call.body;
      const seen = amount !== undefined &&
        currency !== undefined && { amountMinor: amountMinorOf({ amount, currency }), currency };
      const agreed = await send(agreeToRefund, call, { ...call.path, ...(seen && { seen }) });
      if (!("result" in agreed)) return refusalOf(agreed);
      const { approvalsRequired } = agreed.result;
      const decision = { ...call.path, approvalsRequired, ...(note !== undefined && { note }) };
      const reply = await send(operations.approveRefund.command, call, decision);
      if (reply.outcome === "problem" && reply.code === "approver_limit_reached")
        await send(agreeToRefund, call, { ...call.path, withdrawn: true });
      // After a restore of `payments` people repeat their consent to refunds that `refunds` has decided.
      const isDecided = reply.outcome === "problem" && reply.code === "refund_already_decided";
      const known = isDecided && (await send(operations.getOperatorRefund.command, call, call.path));
      const shown = known && "result" in known && waitsForConsent(known.result) ? known : reply;
      if (!("result" in shown)) return refusalOf(shown);
      nameInLog(call.exchange, shown.result);
      return { status: 200, body: shown.result };
    },
    (fields, _now, addFault) => {
      const { amount, currency } = fields;
      if ((amount === undefined) !== (currency === undefined))
        addFault(amount === undefined ? "amount" : "currency", "required", "amount and currency go together");
      checkAmount(fields, addFault);
    },
  );
}

/** `payments` says which merchant the payment belongs to, and the refund is requested for that merchant. */
function requestForMerchantRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(
    operations.requestRefundForMerchant,
    async (call) => {
      const { paymentId } = call.path;
      const payment = await send(operations.getOperatorPayment.command, call, call.path);
      if (!("result" in payment)) return refusalOf(payment);
      const { merchantId, livemode } = payment.result;
      const refundId = call.exchange.keyedWork?.resourceId ?? randomUUIDv7();
      const reply = await send(operations.requestRefundForMerchant.command, call, {
        refundId,
        paymentId,
        merchantId: idInMode(merchantId, livemode),
        amountMinor: amountMinorOf(call.body),
        currency: call.body.currency,
        reason: call.body.reason,
      });
      if (reply.outcome === "in_doubt")
        return new Refusal("outcome_unknown", { members: { paymentId: refundId } });
      if (!("result" in reply)) return refusalOf(reply);
      nameInLog(call.exchange, reply.result);
      const Location = `/operator/refunds/${reply.result.refundId}`;
      return { status: 202, headers: { Location }, body: reply.result };
    },
    (fields, _now, addFault) => checkAmount(fields, addFault),
  );
}
