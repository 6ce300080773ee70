/**
 * Inquiries about a refund, among the other refunds of its payment: a bank that does not return our
 * references shows them by names only.
 */
import { isToldByNames, refundReference, type NotSent, type Verdict } from "@holdfast/acquirer";
import type { RefundAtBank } from "@holdfast/contracts";
import { askNames } from "../../bank/ledger/ask-about.ts";
import { mayHaveLeft, type BankCall } from "../../bank/ledger/bank-call.ts";
import { beginCall, findCalls, noteAnswer } from "../../bank/ledger/call-queries.ts";
import {
  callsOf,
  inquireAmong,
  newCall,
  subReferenceOf,
  type Movement,
  type MovementDeps,
} from "../../bank/ledger/movement.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { lockPayment } from "../../payment/payment-queries.ts";
import { amongOthers, isUnnamed, namesBeside, otherRefunds, waitsFor } from "./other-refunds.ts";

/** `names` as the bank shows them: see `namesShown`. */
export type Asked = { verdict: Verdict; subReference: number; names: readonly string[] | undefined };

/**
 * Asks about the last reference, and then about the next one as long as the bank calls a reference too late:
 * the refund may have been sent under the next one in the time that a restore of this database has lost.
 */
export async function askUntilNotExpired(
  deps: MovementDeps,
  payment: PaymentRow,
  refund: RefundAtBank,
  calls: readonly BankCall[],
): Promise<Asked> {
  const first = subReferenceOf(calls, movementOf(refund));
  for (let subReference = first; ; subReference++) {
    const asked = await askAboutRefund(deps, payment, refund, calls, subReference);
    if (asked.verdict.kind !== "expired" || subReference - first === EXPIRED_MAX) return asked;
  }
}

const EXPIRED_MAX = 100;

/** The refund's outcome, as far as the bank distinguishes it from the payment's other refunds. */
export async function askAboutRefund(
  deps: MovementDeps,
  payment: PaymentRow,
  refund: RefundAtBank,
  calls: readonly BankCall[],
  subReference: number,
): Promise<Asked> {
  const movement = movementOf(refund);
  const among = isNamed(deps, payment, refund)
    ? undefined
    : {
        otherNames: namesBeside(await otherRefunds(deps.db, refund, calls), calls),
        judge: async (shown: Verdict) =>
          amongOthers(shown, await otherRefunds(deps.db, refund, await findCalls(deps.db, refund.paymentId))),
      };
  const { verdict, names } = await inquireAmong(deps, payment, movement, calls, { subReference, among });
  const isUnknown = !callsOf(calls, movement).some(mayHaveLeft);
  if (verdict.kind === "approved" && isUnknown) await recordForgotten(deps, refund, subReference, verdict);
  return { verdict, subReference, names };
}

/** Adds a call that the bank alone knows, since this database was restored: its name is no other refund's. */
async function recordForgotten(
  { db, bank }: Pick<MovementDeps, "db" | "bank">,
  refund: RefundAtBank,
  subReference: number,
  verdict: Extract<Verdict, { kind: "approved" }>,
): Promise<void> {
  const call = await db.transaction().execute(async (trx) => {
    const payment = await lockPayment(trx, refund.paymentId, undefined);
    if (!payment) return undefined;
    const movement = movementOf(refund);
    const calls = await findCalls(trx, refund.paymentId);
    // The refund was sent during the inquiry, and the bank has shown that call.
    if (callsOf(calls, movement).some(mayHaveLeft)) return undefined;
    return await beginCall(trx, payment, newCall(payment, movement, subReference), calls);
  });
  if (call) await noteAnswer(db, call, verdict, bank.of(call.account_id).capabilities);
}

/** True if the bank returns our reference of such a refund. */
export function isNamed(
  { bank }: Pick<MovementDeps, "bank">,
  { account_id }: PaymentRow,
  { kind }: RefundAtBank,
): boolean {
  return !isToldByNames(kind, bank.of(account_id).capabilities);
}

/** True if a refund is not sent yet, since another one of the order is under way: see `waitsFor`. */
export function waitsAmong(
  deps: Pick<MovementDeps, "bank">,
  payment: PaymentRow,
  refund: RefundAtBank,
  others: Parameters<typeof waitsFor>[1],
): boolean {
  const { amountMinor } = movementOf(refund);
  return waitsFor({ amountMinor, isNamed: isNamed(deps, payment, refund) }, others);
}

/**
 * Looks whether a refund that was never sent may be sent beside the payment's other refunds. People may have
 * ended an equal one while the bank's name of it was not known: the bank is asked for that name first, since it
 * may take this refund for a copy and answer it under that name.
 * @returns the payment's calls, with what the bank has told; undefined if the refund waits.
 */
export async function callsBeside(
  deps: MovementDeps,
  payment: PaymentRow,
  refund: RefundAtBank,
  calls: BankCall[],
): Promise<BankCall[] | undefined> {
  const others = await otherRefunds(deps.db, refund, calls);
  if (waitsAmong(deps, payment, refund, others)) return undefined;
  const { amountMinor, kind } = movementOf(refund);
  const ended = others.filter(
    (other) => isUnnamed(other) && other.kind === kind && other.amount_minor === amountMinor,
  );
  let known = calls;
  for (const { refund_id } of ended) {
    const { verdict } = await askUntilNotExpired(deps, payment, { ...refund, refundId: refund_id }, known);
    if (verdict.kind === "not_sent" || (verdict.kind === "unknown" && verdict.reason !== "mismatch"))
      return undefined;
    known = await findCalls(deps.db, refund.paymentId);
  }
  return known;
}

/**
 * The names that the order had before the refund's first call, if only names identify the refund. Without
 * them it is not sent, since a lost answer could never be found.
 */
export async function namesBefore(
  deps: MovementDeps,
  payment: PaymentRow,
  refund: RefundAtBank,
  calls: readonly BankCall[],
  asked: Asked | undefined,
): Promise<{ names?: readonly string[] } | NotSent> {
  if (isNamed(deps, payment, refund)) return {};
  const first = callsOf(calls, movementOf(refund)).find(mayHaveLeft);
  const known = first?.names_before ?? asked?.names;
  if (known) return { names: known };
  const names = await askNames(deps, payment, movementOf(refund));
  return "kind" in names ? names : { names };
}

export function movementOf(refund: RefundAtBank): Movement {
  return {
    kind: refund.kind,
    reference: refundReference(refund.refundId),
    movementId: refund.refundId,
    amountMinor: BigInt(refund.amountMinor),
  };
}
