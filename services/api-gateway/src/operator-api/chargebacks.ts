import { randomUUIDv7 } from "node:crypto";
import {
  changeChargeback,
  changePaymentChargeback,
  checkAmount,
  decideChargeback,
  decidePaymentChargeback,
  describeChargeback,
  getChargeback,
  idInMode,
  listChargebacks,
  listPaymentChargebacks,
  livemodeOf,
  openChargeback,
  openPaymentChargeback,
  type ChargebackDetail,
  type CommandReply,
} from "@holdfast/contracts";
import { operatorAnswer, operatorRefusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";
import { defineRoute, type Answer } from "../endpoint/route.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Refusal } from "../http/refusal.ts";
import { addEvidenceRoute, getEvidenceRoute } from "./chargeback-evidence.ts";

/** Chargebacks: payments that banks take back for their buyers, and the outcomes. */
export function chargebackRoutes({ send }: { send: SendOperatorCommand }) {
  return [
    openRoute({ send }),
    defineRoute(listChargebacks, async (call) => {
      const { limit = "50", livemode: mode, merchantId, ...filter } = call.query;
      const livemode = livemodeOf(mode);
      const reply = await send(listPaymentChargebacks, call, {
        ...filter,
        ...(merchantId !== undefined && { merchantId: idInMode(merchantId, livemode) }),
        // A payment id already implies the mode.
        ...((mode !== undefined || filter.paymentId === undefined) && { livemode }),
        limit: Number(limit),
      });
      return operatorAnswer(200, reply);
    }),
    defineRoute(getChargeback, async (call) =>
      answer(call.exchange, await send(describeChargeback, call, call.path)),
    ),
    defineRoute(changeChargeback, async (call) =>
      answer(call.exchange, await send(changePaymentChargeback, call, { ...call.path, ...call.body })),
    ),
    defineRoute(decideChargeback, async (call) =>
      answer(call.exchange, await send(decidePaymentChargeback, call, { ...call.path, ...call.body })),
    ),
    addEvidenceRoute({ send }),
    getEvidenceRoute({ send }),
  ];
}

function openRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(
    openChargeback,
    async (call) => {
      const { amount: _amount, ...particulars } = call.body;
      const reply = await send(openPaymentChargeback, call, {
        ...call.path,
        ...particulars,
        chargebackId: call.exchange.keyedWork?.resourceId ?? randomUUIDv7(),
        amountMinor: amountMinorOf(call.body),
      });
      if (!("result" in reply)) return operatorRefusalOf(reply);
      tagLog(call.exchange, reply.result);
      const Location = `/operator/chargebacks/${reply.result.chargebackId}`;
      return { status: 201, headers: { Location }, body: reply.result };
    },
    (fields, _now, addFault) => checkAmount(fields, addFault),
  );
}

function answer(exchange: Exchange, reply: CommandReply<ChargebackDetail>): Answer<200> | Refusal {
  if (!("result" in reply)) return operatorRefusalOf(reply);
  tagLog(exchange, reply.result);
  return { status: 200, body: reply.result };
}

/** Names the payment and its merchant in the log line. */
function tagLog(exchange: Exchange, { paymentId, merchantId }: ChargebackDetail): void {
  exchange.paymentId = paymentId;
  exchange.merchantId = merchantId;
}
