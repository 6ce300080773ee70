/**
 * The bank's part of a refund, which this service does for `refunds`: it alone talks to banks, and knows which calls may be
 * there. Only amounts that are reserved here are paid.
 */
import { PENDING, retryHintOf, withSubReference, type Verdict } from "@holdfast/acquirer";
import {
  type CommandReply,
  type RefundAnswer,
  type RefundAtBank,
  type RefundToAskAbout,
  type RefundToCarryOut,
} from "@holdfast/contracts";
import { orNotStarted } from "@holdfast/postgres";
import { failpoint } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { answerToChargedBack, mayHaveLeft, type BankCall } from "../../bank/ledger/bank-call.ts";
import { beginCall, findCalls, type BegunCall } from "../../bank/ledger/call-queries.ts";
import {
  callsOf,
  newCall,
  nextStep,
  sendBegun,
  subReferenceOf,
  type Movement,
  type MovementDeps,
} from "../../bank/ledger/movement.ts";
import { waitUntil } from "../../bank/ledger/ask-about.ts";
import { withCallMs } from "../../bank/calls/bank.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { BusinessEvents } from "../../payment/business-events.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { mayBePaid } from "../../payment/refundable-minor.ts";
import { lockPayment } from "../../payment/payment-queries.ts";
import {
  askAboutRefund,
  askUntilNotExpired,
  callsBeside,
  movementOf,
  namesBefore,
  waitsAmong,
  type Asked,
} from "./ask-about-refund.ts";
import { auditRefusal, auditSending } from "./agree-to-refund.ts";
import { mayBeDone, otherRefunds } from "./other-refunds.ts";

export type RefundAtBankDeps = MovementDeps & { events: Pick<BusinessEvents, "refundNotAgreed"> };

type Db = Kysely<PaymentsDatabase>;
type CarriedOut = CommandReply<{ answer: RefundAnswer; reference: string; again?: "now" | undefined }>;

/**
 * Takes a refund one step further at the bank. A refund that may have been sent before is inquired about
 * first. It is sent if the bank has not seen it and no earlier call can still arrive.
 * @param deadlineAt the end of the wait, in epoch milliseconds.
 */
export async function carryOutAtBank(
  deps: RefundAtBankDeps,
  refund: RefundToCarryOut,
  deadlineAt: number,
): Promise<CarriedOut> {
  const found = await orNotStarted(() => findReserved(deps.db, refund));
  if ("outcome" in found) return found;
  const { payment, state } = found;
  const movement = movementOf(refund);
  const wasSent = callsOf(found.calls, movement).some(mayHaveLeft);
  // Leaves as much time for a call behind it.
  const half = within(deps, deps.now() + (deadlineAt - deps.now()) / 2);
  // A movement that the bank shows may be the other's.
  const calls = wasSent ? found.calls : await callsBeside(half, payment, refund, found.calls);
  if (!calls) return ANOTHER_PENDING;
  let subReference = subReferenceOf(calls, movement);
  let asked: Asked | undefined;
  // If `payments` has settled it while `refunds` was restored, no call could add to it.
  if (refund.resumed || state === "SETTLED" || wasSent) {
    asked = await askUntilNotExpired(half, payment, refund, calls);
    await failpoint("payments.after_refund_inquiry");
    subReference = asked.subReference;
    const { verdict } = asked;
    if (state === "SETTLED" || verdict.kind === "approved") return done(movement, subReference, verdict);
    const step = nextStep(deps, payment, movement, calls.filter(isOfReference(subReference)), verdict);
    if (typeof step === "object") return done(movement, subReference, step);
    if (step !== "repeat") return done(movement, subReference, verdict);
  }
  const names = await namesBefore(half, payment, refund, calls, asked);
  if ("kind" in names) return done(movement, subReference, names);
  // The wait is counted from before the commit: a process that stops after it must not send the call when
  // another process may.
  const until = waitUntil(within(deps, deadlineAt));
  const call = await orNotStarted(() => beginSending(deps, refund, calls, { subReference, ...names }));
  if ("outcome" in call) return call;
  if ("answer" in call) return done(movement, subReference, call.answer);
  await failpoint("payments.before_refund_call");
  const outcome = await sendBegun(deps, payment, { ...movement, call, subReference }, until);
  await failpoint("payments.after_refund_call");
  return done(movement, subReference, outcome);
}

const isOfReference = (subReference: number) => (call: BankCall) => call.sub_reference === subReference;

/** Asks the bank about a refund, reserved or not: after a restore it may have paid one that is unknown here. */
export async function inquireAtBank(
  deps: RefundAtBankDeps,
  refund: RefundToAskAbout,
  deadlineAt: number,
): Promise<CommandReply<{ answer: RefundAnswer }>> {
  const found = await orNotStarted(() => findPayment(deps.db, refund.paymentId));
  if ("outcome" in found) return found;
  const { payment, calls } = found;
  const bounded = within(deps, deadlineAt);
  const { subReference } = refund;
  const verdict =
    subReference === undefined
      ? (await askUntilNotExpired(bounded, payment, refund, calls)).verdict
      : (await askAboutRefund(bounded, payment, refund, calls, subReference)).verdict;
  return { outcome: "done", result: { answer: answerOf(verdict) } };
}

/** The dependencies with a deadline for all calls. */
function within(deps: RefundAtBankDeps, deadlineAt: number): RefundAtBankDeps {
  const bank = withCallMs(deps.bank, Math.min(deps.bank.callMs, deadlineAt - deps.now()));
  return { ...deps, bank };
}

type Reserved = { payment: PaymentRow; calls: BankCall[]; state: "ACTIVE" | "SETTLED" };
type Unknown = { outcome: "problem"; code: "payment_not_found" | "refund_not_found" };

/** The payment of a refund whose whole amount is reserved, or has been paid. */
async function findReserved(db: Db, refund: RefundAtBank): Promise<Reserved | Unknown> {
  const reservation = await db
    .selectFrom("refund_reservation")
    .selectAll()
    .where("refund_id", "=", refund.refundId)
    .executeTakeFirst();
  const found = await findPayment(db, refund.paymentId);
  if ("outcome" in found) return found;
  const isReserved =
    reservation?.payment_id === refund.paymentId &&
    reservation.kind === refund.kind &&
    reservation.amount_minor === BigInt(refund.amountMinor) &&
    found.payment.currency === refund.currency;
  if (!isReserved || (reservation.state !== "ACTIVE" && reservation.state !== "SETTLED"))
    return { outcome: "problem", code: "refund_not_found" };
  return { ...found, state: reservation.state };
}

async function findPayment(db: Db, paymentId: string): Promise<Omit<Reserved, "state"> | Unknown> {
  const payment = await db
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .executeTakeFirst();
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  return { payment, calls: await findCalls(db, paymentId) };
}

/** @param subReference a bank that calls one reference after the other too late is asked by the schedule. */
function done({ reference }: Movement, subReference: number, verdict: Verdict): CarriedOut {
  const isFirstExpired = verdict.kind === "expired" && subReference === 1;
  return {
    outcome: "done",
    result: {
      answer: answerOf(verdict),
      reference: withSubReference(reference, subReference),
      ...(isFirstExpired && { again: "now" as const }),
    },
  };
}

function answerOf(verdict: Verdict): RefundAnswer {
  switch (verdict.kind) {
    case "approved": {
      const { kind, amountMinor, currency, externalTransactionId, authCode } = verdict;
      const { resultCode, resultMessage, asVoid } = verdict;
      const amount = { amountMinor: amountMinor.toString(), currency };
      return { kind, ...amount, externalTransactionId, authCode, resultCode, resultMessage, asVoid };
    }
    case "declined": {
      const { kind, externalTransactionId, resultCode, resultMessage } = verdict;
      return { kind, externalTransactionId, resultCode, resultMessage };
    }
    case "not_sent": {
      const { cause, notBefore } = retryHintOf(verdict);
      return { kind: "not_sent", cause, notBefore: notBefore?.toISOString() };
    }
    default:
      return { kind: verdict.kind, cause: verdict.kind === "unknown" ? verdict.reason : verdict.kind };
  }
}

const ANOTHER_PENDING = { outcome: "problem", code: "refund_pending" } as const;

type NotAgreed = { outcome: "problem"; code: "refund_not_agreed" };
type NotBegun = { answer: Verdict } | Unknown | NotAgreed | typeof ANOTHER_PENDING;

/**
 * Commits that a refund is about to be sent, if enough people have agreed to it here and no chargeback has
 * taken its money. Chargebacks are counted under the same lock. Either a later chargeback sees the refund as
 * paid, or this function sees the chargeback and sends nothing. A refund that is sent again is judged again,
 * but does not end before the earlier call can no longer arrive.
 * @param known the payment's calls before the inquiry: of two copies of one message only one sends the
 * refund.
 */
async function beginSending(
  deps: RefundAtBankDeps,
  refund: RefundAtBank,
  known: readonly BankCall[],
  { subReference, names }: { subReference: number; names?: readonly string[] },
): Promise<BegunCall | NotBegun> {
  const { refundId, paymentId } = refund;
  const movement = movementOf(refund);
  return await deps.db.transaction().execute(async (trx): Promise<BegunCall | NotBegun> => {
    const payment = await lockPayment(trx, paymentId, undefined);
    const own = await trx
      .selectFrom("refund_reservation")
      .selectAll()
      .where("refund_id", "=", refundId)
      .where("state", "=", "ACTIVE")
      // The lock keeps consents from being withdrawn meanwhile.
      .forUpdate()
      .executeTakeFirst();
    if (!payment || !own) return { outcome: "problem", code: "refund_not_found" };
    const reserved = { ...payment, ...own, merchant_id: payment.merchant_id };
    if (own.agreed_at === null) {
      if (await auditRefusal(trx, reserved)) deps.events.refundNotAgreed(payment);
      return { outcome: "problem", code: "refund_not_agreed" };
    }
    const calls = await findCalls(trx, paymentId);
    const ours = callsOf(calls, movement);
    // A copy of the message has begun a call.
    if (ours.length !== callsOf(known, movement).length) return { answer: PENDING };
    const others = (await otherRefunds(trx, refund, calls)).filter(({ state }) => state === "ACTIVE");
    const sentMinor = others.filter(mayBeDone).reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
    if (!mayBePaid(payment, own.amount_minor, sentMinor)) {
      const { horizonMs } = deps.bank.termsOf(payment.account_id);
      return { answer: answerToChargedBack(ours, horizonMs, deps.now()) };
    }
    if (waitsAmong(deps, payment, refund, others)) return ANOTHER_PENDING;
    const call = await beginCall(trx, payment, newCall(payment, movement, subReference, names), calls);
    if (!call) throw new Error("a locked payment changed under its lock");
    if (ours.length === 0) await auditSending(trx, reserved);
    return call;
  });
}
