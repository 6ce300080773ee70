import { operations } from "@holdfast/contracts";
import type { SendCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { amountMinorOf } from "../endpoint/amount-minor.ts";
import { defineRoute } from "../endpoint/route.ts";

/**
 * GET /api/bins/{bin}: the payments service's data about cards that begin with these digits. More than eight
 * digits are refused unread: they may be a card number.
 */
export function binRoute({ send }: { send: SendCommand }) {
  return defineRoute(operations.getBin, async (call) => {
    const { amount, currency } = call.query;
    const order = amount !== undefined &&
      currency !== undefined && {
        order: { amountMinor: amountMinorOf({ amount: { source: amount }, currency }), currency },
      };
    const reply = await send(operations.getBin.command, call, { ...call.path, ...order });
    if (reply.outcome === "done") return { status: 200, body: reply.result };
    const isMissing = reply.outcome === "problem" && reply.code === "bin_not_found";
    return new Refusal(isMissing ? "bin_not_found" : "service_unavailable");
  });
}
