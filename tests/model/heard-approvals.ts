import type { Approved, MovementKind } from "@holdfast/acquirer";
import type { BankCall } from "../../services/payments/src/bank/ledger/bank-call.ts";
import { answerOf, asVerdict, money, type Ours } from "./ours.ts";
import { WHOLE, withPayment, withReversal, type Answer, type World } from "./world.ts";

/** Keeps the approval of a payment that the bank's record has not confirmed, as `noteHeard` does. */
export function withHeard(world: World, heard: Approved | undefined): World {
  if (!heard) return world;
  const amount = Number(heard.amountMinor);
  const noted = amount === WHOLE ? world : withReversal(world, { approved: amount });
  return withPayment(noted, { heard: heard.externalTransactionId });
}

/**
 * Combines an inquiry's answer with the bank's earlier approval of the call. @param heard the name in that
 * approval, or empty.
 */
export function besideHeard(
  shown: Answer,
  { kind, heard }: { kind: MovementKind; heard: string },
  ours: Ours,
): Answer {
  if (heard === "") return shown;
  const call = { ...CALL, kind, external_transaction_id: heard };
  return answerOf(ours.besideApproval(asVerdict(shown), call));
}

const { amountMinor, currency } = money(WHOLE);
const CALL: BankCall = {
  payment_id: "p1",
  account_id: "a1",
  number: 1,
  sub_reference: 1,
  movement_id: null,
  amount_minor: amountMinor,
  sent_at: new Date(0),
  sent_ms_ago: 0,
  currency,
  kind: "sale",
  reference: "p1",
  names_before: null,
  answered_at: null,
  outcome: "unknown",
  external_transaction_id: null,
  own_name: null,
  auth_code: null,
  result_code: null,
  result_message: null,
  approved_minor: null,
  approved_currency: null,
  heard_at: new Date(0),
};
