/**
 * Gives back the money that the bank may have taken for a payment that has to be reversed. The bank is asked
 * first for the amount that it approved, since a reversal in another amount has no effect. If its business
 * day is over and it has settled the money, a refund under a reference of its own gives it back. Each attempt
 * makes at most two calls, and a third one before that refund. If its lease ends meanwhile, the ledger of
 * calls prevents another process from sending it, too. The bank's answer is committed before the next attempt
 * acts on it.
 */
import { orderIdOf, type Target, type ReversalRequest, type Verdict } from "@holdfast/acquirer";
import { failpoint } from "@holdfast/service-runtime";
import { chargeOf, isApproved, mayHaveLeft, type BankCall } from "../../bank/ledger/bank-call.ts";
import { beginCall, findCalls, makeCall } from "../../bank/ledger/call-queries.ts";
import { callsOf, inquire, nextStep, noteFound, send, subReferenceOf } from "../../bank/ledger/movement.ts";
import { askAboutCharge, waitUntil } from "../../bank/ledger/ask-about.ts";
import { cardOperationOf, targetOf } from "../../bank/ledger/attempts.ts";
import type { LeasedPayment } from "../../payment/payment-lease.ts";
import {
  decideAfterRefund,
  decideAfterReversal,
  isUndone,
  type UndoDecision,
  type UndoResult,
} from "./decide-undo.ts";
import type { RecoverDeps } from "./recover-payment.ts";
import { mayBeReversed, reversalOf, reversalRefund, type Reversal } from "./reversal.ts";
import { startWatch } from "../../bank/ledger/watch-queries.ts";

/** A payment to reverse, also one that has ended and for which the bank showed money afterwards. */
export type UndonePayment = Omit<LeasedPayment, "lease_token" | "due_at"> & { lease_token: string | null };

/** @param inquiry what the bank has just said of the payment's reference, if it was asked. */
export async function undoPayment(
  deps: RecoverDeps,
  payment: UndonePayment,
  inquiry?: Verdict,
): Promise<UndoResult> {
  const calls = await findCalls(deps.db, payment.payment_id);
  const known = reversalOf(calls);
  if (known?.settled_at) return await refundSettled(deps, payment, known, calls);
  const found = inquiry ?? (await askAboutCharge(deps, payment, calls));
  if (isUndone(found)) return { kind: "undone", by: "reversal" };
  if (!deps.maySend) return { kind: "wait", cause: causeOf(found), next: "now" };
  const amountMinor = amountToReverse(payment, known, found);
  const charge = chargeOf(calls);
  if (charge && amountMinor !== (known?.approved_minor ?? payment.amount_minor))
    await noteFound(deps, payment, charge, found);
  return await sendReversal(deps, payment, calls, {
    target: await namedTarget(deps, payment, found, charge),
    amountMinor,
    isUnseen: found.kind === "not_found" || calls.some(isReversed),
  });
}

async function sendReversal(
  deps: RecoverDeps,
  payment: UndonePayment,
  calls: readonly BankCall[],
  { isUnseen, ...of }: { target: Target; amountMinor: bigint; isUnseen: boolean },
): Promise<UndoResult> {
  const isRepeated = calls.some((call) => call.kind === "reverse" && mayHaveLeft(call));
  const request: ReversalRequest = {
    ...of,
    ...(isRepeated && { isRepeated }),
    reference: payment.payment_id,
    orderId: orderIdOf(payment.payment_id),
    operation: cardOperationOf(payment),
    currency: payment.currency,
    // The wait is counted from before the commit: a process that stops after it must not send the call when
    // operators may book.
    waitUntil: waitUntil(deps),
  };
  const call = await beginCall(deps.db, payment, { ...request, kind: "reverse" }, calls);
  if (!call) return { kind: "wait", cause: "reversal_sent_elsewhere" };
  const acquirer = deps.bank.of(payment.account_id);
  const reversal = await makeCall(deps.db, call, acquirer.capabilities, () => acquirer.reverse(request));
  await failpoint("payments.after_reversal");
  const terms = deps.bank.termsOf(payment.account_id);
  return await conclude(deps, payment, decideAfterReversal(reversal, payment.age_ms, terms, isUnseen));
}

function isReversed({ kind, outcome }: BankCall): boolean {
  return kind === "reverse" && outcome === "reversed";
}

async function conclude(
  deps: RecoverDeps,
  payment: UndonePayment,
  { result, refusal }: UndoDecision,
): Promise<UndoResult> {
  // The watch starts before the payment ends: a payment without a watch would be forgotten while the bank may
  // still carry it out.
  if (result.kind === "undone" && result.isUnshown) await startWatch(deps, payment);
  if (refusal) deps.events.reversalRefused(payment, refusal);
  return result;
}

/**
 * The bank's amount under the reference; or else the amount that the bank approved before, or the requested
 * amount.
 */
export function amountToReverse(
  payment: Pick<UndonePayment, "amount_minor">,
  known: Pick<Reversal, "approved_minor"> | undefined,
  found: Verdict,
): bigint {
  return found.kind === "approved" ? found.amountMinor : (known?.approved_minor ?? payment.amount_minor);
}

/**
 * Refunds settled money, always under the same reference. A bank that calls a reversal settled may have
 * carried out an earlier one: its record is read once more before a refund is sent beside it. A record that
 * never shows the charge, or shows it differently, does not rule that out. The refund is then sent, and the
 * bank refuses it if nothing is left.
 */
async function refundSettled(
  deps: RecoverDeps,
  payment: UndonePayment,
  reversal: Reversal,
  calls: readonly BankCall[],
): Promise<UndoResult> {
  const refund = reversalRefund(payment, reversal);
  const inquiry = await inquire(deps, payment, refund, calls);
  const step = nextStep(deps, payment, refund, calls, inquiry);
  if (typeof step === "object")
    return await conclude(deps, payment, decideAfterRefund(step, subReferenceOf(calls, refund)));
  // A record need not show a refusal, which is the bank's last word: the schedule alone brings the next sending.
  if (callsOf(calls, refund).at(-1)?.outcome === "declined" && (step === "wait" || !deps.maySend))
    return { kind: "wait", cause: "refund_declined" };
  if (step === "wait") return { kind: "wait", cause: "refund_not_found" };
  const { repetition } = deps.bank.of(payment.account_id).capabilities;
  const { horizonMs } = deps.bank.termsOf(payment.account_id);
  // A bank that replays has answered the reversal under the same reference, however often it was sent.
  const isReplayed = repetition === "replay";
  if (!isReplayed && mayBeReversed(calls, horizonMs)) return { kind: "wait", cause: "reversal_may_arrive" };
  if (!deps.maySend) return { kind: "wait", cause: `refund_${inquiry.kind}`, next: "now" };
  const shown = isReplayed ? undefined : await askAboutCharge(deps, payment, []);
  if (shown?.kind === "reversed") return { kind: "undone", by: "reversal" };
  if (shown?.kind === "unknown" || shown?.kind === "not_sent") return { kind: "wait", cause: causeOf(shown) };
  const sent = await send(deps, payment, refund, calls, step);
  await failpoint("payments.after_reversal_refund");
  if (!sent) return { kind: "wait", cause: "refund_sent_elsewhere" };
  return await conclude(deps, payment, decideAfterRefund(sent.outcome, sent.subReference));
}

/**
 * A lost answer may have named the charge, and the inquiry names it again. A received answer has named it. A
 * bank may have taken the charge for a copy of another payment's, and answered with that one's name: a void by
 * it would be of that one's money. Unless the record shows it, only what the record has of the order is undone.
 */
async function namedTarget(
  deps: Pick<RecoverDeps, "db" | "events">,
  payment: UndonePayment,
  found: Verdict,
  charge: BankCall | undefined,
): Promise<Target> {
  const shown = found.kind === "approved" ? found.externalTransactionId : "";
  const said = charge && isApproved(charge) ? charge.external_transaction_id : null;
  const name = said || shown || payment.external_transaction_id;
  // An approval that was noted as whole is repeated in the record's place.
  const isShown = name === shown && charge?.outcome !== "approved";
  const isUnsure = name !== null && !isShown && (await isAnothers(deps.db, payment, name));
  if (isUnsure) deps.events.answerMismatched(payment);
  return targetOf({ ...payment, external_transaction_id: isUnsure ? null : name });
}

/** True if another payment at the account has the name. */
async function isAnothers(
  db: RecoverDeps["db"],
  { payment_id, account_id }: UndonePayment,
  name: string,
): Promise<boolean> {
  const namesake = await db
    .selectFrom("payment")
    .select("payment_id")
    .where("external_transaction_id", "=", name)
    .where("account_id", "=", account_id)
    .where("payment_id", "<>", payment_id)
    .executeTakeFirst();
  return namesake !== undefined;
}

/** The result of an inquiry as a word, or the reason why it has none. */
export function causeOf(inquiry: Verdict): string {
  return inquiry.kind === "unknown" ? inquiry.reason : inquiry.kind;
}
