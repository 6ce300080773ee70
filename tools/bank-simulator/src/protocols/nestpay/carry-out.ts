import { untilLate } from "../../core/index.ts";
import { chooseBehaviour } from "./behaviours.ts";
import type { MoneyRequest } from "./cc5-request.ts";
import { outcomeResponse, refusedResponse, type Cc5Response } from "./cc5-response.ts";
import type { Desk } from "./desk.ts";
import type { GateSession } from "./gate-sessions.ts";
import { judge, type Outcome } from "./judge.ts";
import type { Merchant } from "./merchants.ts";
import type { Modes } from "./modes.ts";

/**
 * Carries out an operation with the fault that waits for it, else with that of its card. Everything has happened when it
 * resolves but the fault of the answer itself, `behaviour`.
 */
export async function carryOut(
  desk: Desk,
  merchant: Merchant,
  request: MoneyRequest,
  session: GateSession | undefined,
  modes: Modes = desk.modes,
): Promise<{ answer: Cc5Response; behaviour: string }> {
  const { orderId } = request;
  const refuse = (code: 2100 | 2304) => refusedResponse(code, { orderId, groupId: orderId }, "", modes);
  const behaviour = chooseBehaviour(desk, desk.bank.book.order(merchant.clientId, orderId), request, session);
  if (behaviour.name === "hang_before") return { answer: refuse(2100), behaviour: "hang" };
  if (behaviour.name === "gateway_error_before") return { answer: refuse(2100), behaviour: "plain" };
  const key = runningKey(desk, merchant, request);
  const isBusy = key !== undefined && desk.running.has(key);
  if (isBusy && desk.rulesOf(merchant).oneCallAnOrder) return { answer: refuse(2304), behaviour: "plain" };
  if (key !== undefined) desk.running.add(key);
  let outcome: Outcome;
  try {
    if (behaviour.name === "late_effect") await untilLate(desk);
    if (behaviour.name === "day_closes") await desk.bank.endDay();
    outcome = await judge(desk, { merchant, request, session, behaviour });
  } finally {
    if (key !== undefined && !isBusy) desk.running.delete(key);
  }
  if (behaviour.name === "late") await untilLate(desk);
  return { answer: outcomeResponse(outcome, merchant, modes), behaviour: behaviour.name };
}

/** Undefined where the bank is to make the order's id, or a TransId is of no order. */
function runningKey({ bank }: Desk, { clientId }: Merchant, request: MoneyRequest): string | undefined {
  const orderId =
    request.operation === "void" && request.transactionId !== ""
      ? bank.book.named(clientId, request.transactionId)?.order.id
      : request.orderId;
  return orderId === undefined || orderId === "" ? undefined : `${clientId}/${orderId}`;
}
