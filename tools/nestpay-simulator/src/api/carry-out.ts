import type { KnownForm, Outcome } from "../bank/judgement.ts";
import type { MoneyRequest } from "../bank/money-request.ts";
import { afterLateness } from "../faults/after-lateness.ts";
import { behaviourOf, circumstancesOf, type Behaviour, type BehaviourName } from "../faults/behaviours.ts";
import { testCard } from "../faults/test-cards.ts";
import type { Merchant } from "../merchants.ts";
import type { GateSession } from "../three-ds/gate-sessions.ts";
import type { BankApi } from "./bank-api.ts";

/** An operation after its faults: `busy` and `trouble` have done nothing, `unanswered` is never answered. */
export type CarriedOut =
  | { kind: "outcome"; outcome: Outcome; behaviour: BehaviourName }
  | { kind: "busy" }
  | { kind: "trouble" }
  | { kind: "unanswered" };

/**
 * Carries out an operation with the fault that waits for it, else with that of its card. `session` is the 3-D Secure
 * session of a payment's `md`. Everything but how it is answered has happened when it resolves.
 */
export async function carryOut(
  api: BankApi,
  merchant: Merchant,
  request: MoneyRequest,
  session: GateSession | undefined,
): Promise<CarriedOut> {
  const behaviour = chooseBehaviour(api, merchant, request, session);
  if (behaviour.name === "hang_before") return { kind: "unanswered" };
  if (behaviour.name === "gateway_error_before") return { kind: "trouble" };
  const key = runningKey(api, merchant, request);
  const isBusy = key !== undefined && api.running.has(key);
  if (isBusy && api.rulesFor(merchant).oneCallAnOrder) return { kind: "busy" };
  if (key !== undefined) api.running.add(key);
  let outcome: Outcome;
  try {
    if (behaviour.name === "late_effect") await afterLateness(api);
    if (behaviour.name === "day_closes") await api.businessDay.end();
    outcome = await api.teller.operate(merchant, request, circumstancesOf(behaviour), knownForm(session));
  } finally {
    if (key !== undefined && !isBusy) api.running.delete(key);
  }
  if (behaviour.name === "late") await afterLateness(api);
  return { kind: "outcome", outcome, behaviour: behaviour.name };
}

/** The queue first, then the card, but not the card of an order that has succeeded: that is refused in any case. */
function chooseBehaviour(
  { faults, teller }: BankApi,
  merchant: Merchant,
  request: MoneyRequest,
  session: GateSession | undefined,
): Behaviour {
  if (request.operation !== "authorize" && request.operation !== "sale") {
    return behaviourOf(faults.take(request.operation) ?? "plain");
  }
  const { card } = request;
  const queued = faults.take(card.kind === "md" ? "complete" : request.operation);
  if (queued) return behaviourOf(queued);
  if (teller.hasSucceeded(merchant, request.orderId)) return behaviourOf("plain");
  if (card.kind === "pan") return testCard(card.pan);
  if (session?.form.cvv === "082") return { name: "decline", issuerCode: "82" };
  return testCard(session?.form.pan ?? "");
}

/** Undefined where the bank is to make the order's id, or a TransId is of no order. */
function runningKey({ bank }: BankApi, { clientId }: Merchant, request: MoneyRequest): string | undefined {
  const orderId =
    request.operation === "void" && request.transactionId !== ""
      ? bank.row(clientId, request.transactionId)?.order.orderId
      : request.orderId;
  return orderId === undefined || orderId === "" ? undefined : `${clientId}/${orderId}`;
}

function knownForm(session: GateSession | undefined): KnownForm | undefined {
  if (!session) return undefined;
  const { form, authentication } = session;
  const { operation, orderId, amountMinor, currency, installments, pan } = form;
  const maskedPan = `${pan.slice(0, 6)}${"*".repeat(pan.length - 10)}${pan.slice(-4)}`;
  return { operation, orderId, amountMinor, currency, installments, authentication, maskedPan };
}
