import { randomUUIDv7 } from "node:crypto";
import { checkAmount, idInMode, livemodeOf, operations } from "@holdfast/contracts";
import { operatorAnswer, refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";
import { nameInLog } from "../endpoint/forward.ts";
import { defineRoute } from "../endpoint/route.ts";
import { addEvidenceRoute, getEvidenceRoute } from "./chargeback-evidence.ts";

/** Chargebacks: payments that banks take back for their buyers, and the outcomes. */
export function chargebackRoutes({ send }: { send: SendOperatorCommand }) {
  return [
    openRoute({ send }),
    defineRoute(operations.listChargebacks, async (call) => {
      const { limit = "50", livemode: mode, merchantId, ...filter } = call.query;
      const livemode = livemodeOf(mode);
      const reply = await send(operations.listChargebacks.command, call, {
        ...filter,
        ...(merchantId !== undefined && { merchantId: idInMode(merchantId, livemode) }),
        // A payment id already implies the mode.
        ...((mode !== undefined || filter.paymentId === undefined) && { livemode }),
        limit: Number(limit),
      });
      return operatorAnswer(200, reply);
    }),
    addEvidenceRoute({ send }),
    getEvidenceRoute({ send }),
  ];
}

function openRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(
    operations.openChargeback,
    async (call) => {
      const { amount: _amount, ...particulars } = call.body;
      const reply = await send(operations.openChargeback.command, call, {
        ...call.path,
        ...particulars,
        chargebackId: call.exchange.keyedWork?.resourceId ?? randomUUIDv7(),
        amountMinor: amountMinorOf(call.body),
      });
      if (!("result" in reply)) return refusalOf(reply);
      nameInLog(call.exchange, reply.result);
      const Location = `/operator/chargebacks/${reply.result.chargebackId}`;
      return { status: 201, headers: { Location }, body: reply.result };
    },
    (fields, _now, addFault) => checkAmount(fields, addFault),
  );
}
