import type { Work } from "../../core/index.ts";
import { chooseBehaviour } from "./behaviours.ts";
import type { MoneyRequest } from "./cc5-request.ts";
import { outcomeResponse, refusedResponse, type Cc5Response } from "./cc5-response.ts";
import type { Desk } from "./desk.ts";
import type { GateSession } from "./gate-sessions.ts";
import { judge } from "./judge.ts";
import type { Merchant } from "./merchants.ts";
import type { Modes } from "./modes.ts";

/**
 * Carries out an operation with the fault that is set for it, or else its card's fault. Its order is busy
 * from now on.
 */
export function workOf(
  desk: Desk,
  merchant: Merchant,
  request: MoneyRequest,
  session: GateSession | undefined,
  modes: Modes = desk.modes,
): Work<Cc5Response> {
  const { orderId } = request;
  const refuse = (code: 2100 | 2304): Work<Cc5Response> => ({
    behaviour: "plain",
    carryOut: async () => ({ answer: refusedResponse(code, { orderId, groupId: orderId }, "", modes) }),
  });
  const behaviour = chooseBehaviour(desk, desk.bank.book.order(merchant.clientId, orderId), request, session);
  const { name } = behaviour;
  if (name === "gateway_error_before") return refuse(2100);
  const key = name === "hang_before" ? undefined : runningKey(desk, merchant, request);
  const isBusy = key !== undefined && desk.running.has(key);
  if (isBusy && desk.rulesOf(merchant).oneCallAnOrder) return refuse(2304);
  if (key !== undefined) desk.running.add(key);
  const carryOut = async () => {
    try {
      if (name === "day_closes") await desk.bank.endDay();
      const outcome = await judge(desk, { merchant, request, session, behaviour });
      return { answer: outcomeResponse(outcome, { merchant, modes, clock: desk.bank.clock }) };
    } finally {
      if (key !== undefined && !isBusy) desk.running.delete(key);
    }
  };
  return { behaviour: name, carryOut };
}

/** Undefined if the bank has to generate the order's id, or if a TransId belongs to no order. */
function runningKey({ bank }: Desk, { clientId }: Merchant, request: MoneyRequest): string | undefined {
  const orderId =
    request.operation === "void" && request.transactionId !== ""
      ? bank.book.named(clientId, request.transactionId)?.order.id
      : request.orderId;
  return orderId === undefined || orderId === "" ? undefined : `${clientId}/${orderId}`;
}
