/**
 * The bank's part of a refund, which this service does for `refunds`: it alone talks to banks and opens their
 * credentials. Only amounts that are reserved here are paid.
 */
import { refundReference, type Attempt, type Repetition, type Verdict } from "@holdfast/acquirer";
import {
  CHARGED_BACK_RESULT,
  type CommandReply,
  type RefundAnswer,
  type RefundAtBank,
} from "@holdfast/contracts";
import { orNotStarted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { Kysely, Selectable } from "kysely";
import type { TermsOf } from "../../bank/account/account-terms.ts";
import { askAbout, type AskDeps } from "../../bank/calls/ask-about.ts";
import { followUpOf } from "../../bank/calls/attempts.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { amongOthers, beginCall, recordAnswer, otherRefunds } from "./refund-calls.ts";
import type { PaymentTable } from "../../payment/payment-table.ts";
import { lockPayment } from "../operation/operation-queries.ts";
import { mayBePaid } from "../../payment/refundable-minor.ts";

export type RefundAtBankDeps = AskDeps & {
  db: Kysely<PaymentsDatabase>;
  termsOf: TermsOf;
};

type Payment = Selectable<PaymentTable>;
type Answered = { answer: RefundAnswer };

/** Sends a refund to the bank, one call. @param deadlineAt the end of the wait, in epoch milliseconds. */
export async function carryOutAtBank(
  deps: RefundAtBankDeps,
  refund: RefundAtBank,
  deadlineAt: number,
): Promise<CommandReply<Answered>> {
  const found = await orNotStarted(() => findReserved(deps.db, refund));
  if ("outcome" in found) return found;
  const { payment, state } = found;
  const bounded = within(deps, deadlineAt);
  // A copy of the refund has been paid and booked, before the database of `refunds` was restored: no call could add to it.
  if (state === "SETTLED") return done(await ask(bounded, payment, refund));
  const acquirer = deps.acquirers.of(payment.account_id);
  const isNamed = acquirer.capabilities.ownReferenceOn.includes(refund.kind);
  const sending = await orNotStarted(() => beginSending(deps.db, refund));
  if (!sending) return done(CHARGED_BACK);
  if (sending === "gone") return { outcome: "problem", code: "refund_not_found" };
  if ("outcome" in sending) return sending;
  const begun = isNamed ? undefined : await beginCall(deps.db, refund);
  if (!isNamed && !begun) {
    await recordUnsent(deps.db, refund, sending);
    return { outcome: "not_started" };
  }
  const request = {
    ...followUpOf(payment),
    reference: referenceOf(refund),
    amountMinor: BigInt(refund.amountMinor),
    waitUntil: new Date(bounded.now() + bounded.acquirerTimeoutMs),
  };
  await failpoint("payments.before_refund_call");
  const outcome = await (refund.kind === "release" ? acquirer.release(request) : acquirer.refund(request));
  await failpoint("payments.after_refund_call");
  if (outcome.kind === "not_sent") await recordUnsent(deps.db, refund, sending);
  if (begun) await recordAnswer(deps.db, refund, outcome, begun.sentBefore);
  return done(outcome);
}

/** The answer to a refund that a chargeback has overtaken: the bank is not asked, and the buyer is not paid twice. */
const CHARGED_BACK = {
  kind: "declined",
  resultCode: CHARGED_BACK_RESULT,
  resultMessage: "The payment was charged back: the bank has given the money to the buyer.",
} as const satisfies Verdict;

/** Asks the bank about a refund, reserved or not: after a restore it may have paid one that is unknown here. */
export async function inquireAtBank(
  deps: RefundAtBankDeps,
  refund: RefundAtBank,
  deadlineAt: number,
): Promise<CommandReply<Answered & { repetition: Repetition; lateArrivalMs: number }>> {
  const payment = await orNotStarted(() => findPayment(deps.db, refund.paymentId));
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  if ("outcome" in payment) return payment;
  const verdict = await ask(within(deps, deadlineAt), payment, refund);
  const { repetition } = deps.acquirers.of(payment.account_id).capabilities;
  const { lateArrivalMs } = deps.termsOf(payment.account_id);
  return { outcome: "done", result: { answer: answerOf(verdict), repetition, lateArrivalMs } };
}

/** The refund's outcome, as far as the bank can tell it from the payment's other refunds. */
async function ask(deps: RefundAtBankDeps, payment: Payment, refund: RefundAtBank): Promise<Verdict> {
  const { capabilities } = deps.acquirers.of(payment.account_id);
  if (capabilities.ownReferenceOn.includes(refund.kind))
    return await askAbout(deps, payment, attemptOf(refund));
  const known = await otherRefunds(deps.db, refund);
  const otherTransactionIds = known.flatMap(({ external_transaction_id: id }) => id ?? []);
  const shown = await askAbout(deps, payment, { ...attemptOf(refund), otherTransactionIds });
  const verdict = amongOthers(shown, await otherRefunds(deps.db, refund));
  if (verdict.kind === "approved") await recordAnswer(deps.db, refund, verdict);
  return verdict;
}

/** The same dependencies, whose calls end by a deadline. */
function within(deps: RefundAtBankDeps, deadlineAt: number): RefundAtBankDeps {
  return { ...deps, acquirerTimeoutMs: Math.min(deps.acquirerTimeoutMs, deadlineAt - deps.now()) };
}

/** The payment of a refund whose whole amount is reserved, or has been paid. */
async function findReserved(
  db: Kysely<PaymentsDatabase>,
  refund: RefundAtBank,
): Promise<
  | { payment: Payment; state: "ACTIVE" | "SETTLED" }
  | { outcome: "problem"; code: "payment_not_found" | "refund_not_found" }
> {
  const reservation = await db
    .selectFrom("refund_reservation")
    .selectAll()
    .where("refund_id", "=", refund.refundId)
    .executeTakeFirst();
  const payment = await findPayment(db, refund.paymentId);
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  const isReserved =
    reservation?.payment_id === refund.paymentId &&
    reservation.kind === refund.kind &&
    reservation.amount_minor === BigInt(refund.amountMinor) &&
    payment.currency === refund.currency;
  if (!isReserved || (reservation.state !== "ACTIVE" && reservation.state !== "SETTLED"))
    return { outcome: "problem", code: "refund_not_found" };
  return { payment, state: reservation.state };
}

async function findPayment(db: Kysely<PaymentsDatabase>, paymentId: string): Promise<Payment | undefined> {
  return await db.selectFrom("payment").selectAll().where("payment_id", "=", paymentId).executeTakeFirst();
}

function attemptOf(refund: RefundAtBank): Attempt {
  return {
    reference: referenceOf(refund),
    kind: refund.kind,
    amountMinor: BigInt(refund.amountMinor),
    currency: refund.currency,
    sentAt: new Date(refund.decidedAt),
  };
}

function referenceOf({ refundId, subReference }: RefundAtBank): string {
  return refundReference(refundId, subReference);
}

function done(verdict: Verdict): CommandReply<Answered> {
  return { outcome: "done", result: { answer: answerOf(verdict) } };
}

function answerOf(verdict: Verdict): RefundAnswer {
  switch (verdict.kind) {
    case "approved": {
      const { kind, amountMinor, currency, externalTransactionId, authCode, resultCode, resultMessage } =
        verdict;
      const amount = { amountMinor: amountMinor.toString(), currency };
      return { kind, ...amount, externalTransactionId, authCode, resultCode, resultMessage };
    }
    case "declined": {
      const { kind, externalTransactionId, resultCode, resultMessage } = verdict;
      return { kind, externalTransactionId, resultCode, resultMessage };
    }
    case "unknown":
      return { kind: "unknown", reason: verdict.reason };
    case "not_sent": {
      const { kind, reason, notBefore } = verdict;
      return { kind, reason, notBefore: notBefore?.toISOString() };
    }
    default:
      return { kind: verdict.kind };
  }
}

type Db = Kysely<PaymentsDatabase>;

/** A refund that may be sent, with the reference under which it had been sent before. */
type Sending = { sentBefore: number | null };

/**
 * Commits that a refund is about to be sent, unless a chargeback has taken what it would pay. Chargebacks are counted under the
 * same lock: either one that comes after this sees the refund as paid, or this sees the chargeback, and nothing is sent. A
 * refund that was sent under the reference before may have been paid, and is sent again; under another reference it is judged
 * again, since the bank has said that nothing was paid under the one before.
 *
 * @returns undefined where it does not fit any more, and that it is gone where it is not reserved any more.
 */
async function beginSending(db: Db, refund: RefundAtBank): Promise<Sending | "gone" | undefined> {
  const { refundId, paymentId, subReference } = refund;
  return await db.transaction().execute(async (trx) => {
    const payment = await lockPayment(trx, paymentId, undefined);
    const reservations = await trx
      .selectFrom("refund_reservation")
      .select(["refund_id", "amount_minor", "sent_reference"])
      .where("payment_id", "=", paymentId)
      .where("state", "=", "ACTIVE")
      .execute();
    const own = reservations.find(({ refund_id }) => refund_id === refundId);
    if (!payment || !own) return "gone";
    const sentBefore = own.sent_reference;
    if (sentBefore === subReference) return { sentBefore };
    const sentMinor = reservations
      .filter(({ refund_id, sent_reference }) => refund_id !== refundId && sent_reference !== null)
      .reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
    if (!mayBePaid(payment, own.amount_minor, sentMinor)) return undefined;
    await setSent(trx, refundId, subReference);
    return { sentBefore };
  });
}

/** Notes that it has certainly not been sent this time. */
async function recordUnsent(
  db: Db,
  { refundId }: Pick<RefundAtBank, "refundId">,
  { sentBefore }: Sending,
): Promise<void> {
  await setSent(db, refundId, sentBefore);
}

async function setSent(db: Db, refundId: string, reference: number | null): Promise<void> {
  await db
    .updateTable("refund_reservation")
    .set({ sent_reference: reference })
    .where("refund_id", "=", refundId)
    .where("state", "=", "ACTIVE")
    .execute();
}
