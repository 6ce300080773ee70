/**
 * A payment with 3-D Secure up to the challenge: claim, enrol, record, each one transaction or one external call. Without
 * a challenge it continues to the authorization immediately. The card is sent to the acquirer here, once; every later
 * call names the acquirer's session only.
 */
import type { EnrolmentOutcome } from "@holdfast/acquirer";
import {
  PAYMENT_ENROLLED,
  type CommandReply,
  type EnrolledPayment,
  type EnrolPayment,
} from "@holdfast/contracts";
import { failpoint } from "@holdfast/service-runtime";
import { storeAnswer } from "@holdfast/idempotency";
import type { Incoming } from "@holdfast/messaging";
import type { Kysely, Transaction } from "kysely";
import { withFailover } from "../../bank/ledger/fail-over.ts";
import type { Admitted, OfCheckout } from "../authorization/admit-payment.ts";
import { answerKnownPayment, currentState } from "../authorization/answer-known-payment.ts";
import type { AuthorizationDeps } from "../authorization/authorize-payment.ts";
import { browserOf, cardRequestOf, type CardPayment } from "../authorization/card-request.ts";
import { claimPayment } from "../authorization/claim-payment.ts";
import { concludeAuthorization } from "../authorization/conclude-authorization.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { DEADLINE_PASSED, type PaymentToConclude } from "../../payment/authorization-outcome.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import type { Join } from "../../payment/payment-writes.ts";
import { recordEvent } from "../../payment/record-event.ts";
import { CARRIES_CARD } from "./challenge-fault.ts";
import { completeAuthorization } from "./complete-authorization.ts";
import { decideEnrolment, type EnrolmentDecision } from "./enrolment-outcome.ts";
import { findSession, insertSession, recordChallenge, startAuthorizing } from "./session-queries.ts";
import { challengeOf, wayToChallenge } from "./session-state.ts";

export type EnrolPaymentDeps = AuthorizationDeps & {
  /** `sessionMs` is the cardholder's time for the challenge, from the claim on. */
  limits: { leaseMs: number; sessionMs: number };
};

type Message = Incoming<EnrolPayment>;
type Reply = CommandReply<EnrolledPayment>;

export async function enrolPayment(
  deps: EnrolPaymentDeps,
  message: Message,
  ofCheckout: OfCheckout = {},
): Promise<Reply> {
  const { transactionType, successUrl, failureUrl } = message.payload;
  const terms = {
    transactionType,
    further: [transactionType, successUrl, failureUrl],
    ...ofCheckout,
    read: currentEnrolment,
  };
  return await deps.admission.admit(message, terms, (admitted) =>
    enrolAdmitted(deps, message, admitted, ofCheckout.join),
  );
}

async function enrolAdmitted(
  deps: EnrolPaymentDeps,
  message: Message,
  { row, card, details, route }: Admitted,
  join: Join | undefined,
): Promise<Reply> {
  const { context, payload } = message;
  let sessionExpiresAt!: Date;
  const payment = await claimPayment(deps, row, "ENROLLING", async (trx) => {
    sessionExpiresAt = await insertSession(trx, row.payment_id, payload, deps.limits.sessionMs);
    return !join || (await join(trx));
  });
  if (payment === "taken") return await answerKnownPayment(deps, message, row, currentEnrolment);
  if ("outcome" in payment) return payment;
  const keyed = context.idempotency !== undefined;
  if (deps.now() > context.deadlineAt)
    return await concludeAuthorization(deps, payment, DEADLINE_PASSED, { keyed });

  // A soft decline is not tried again: the proof of an authentication is made for one account.
  const { outcome } = await withFailover(deps, payment, { route, deadlineAt: context.deadlineAt }, () =>
    enrol(deps, message, { payment, card, details }, sessionExpiresAt),
  );
  const decision = decideEnrolment(outcome, card.reveal());
  await failpoint("payments.after_enrolment");
  switch (decision.to) {
    case "ENROLLED":
      return await showChallenge(deps, payment, decision);
    case "REVERSING":
      if (decision.cause === CARRIES_CARD) deps.events.challengeCarriesCard(payment);
      return await concludeAuthorization(deps, payment, decision, { keyed });
    case "AUTHORIZING":
      return await authorizeAtOnce(deps, message, payment, decision);
    default:
      return await concludeAuthorization(deps, payment, decision, { keyed });
  }
}

function enrol(
  deps: EnrolPaymentDeps,
  { context, payload }: Message,
  given: CardPayment,
  sessionExpiresAt: Date,
): Promise<EnrolmentOutcome> {
  const { payment, details } = given;
  return deps.bank.of(payment.account_id).enrol({
    ...cardRequestOf(deps, given, context),
    ...browserOf(details),
    operation: payment.transaction_type === "PAYMENT" ? "sale" : "authorize",
    returnUrl: payload.returnUrl,
    sessionExpiresAt,
  });
}

async function showChallenge(
  deps: EnrolPaymentDeps,
  payment: PaymentToConclude,
  challenge: Extract<EnrolmentDecision, { to: "ENROLLED" }>,
): Promise<Reply> {
  try {
    const shown = await deps.db.transaction().execute(async (trx) => {
      if (!(await recordChallenge(trx, payment, challenge.session, challenge.challenge))) return undefined;
      const reply = await currentEnrolment({ db: trx }, payment);
      // This answer is final for the request, although the payment has not ended yet.
      if (reply) await storeAnswer(trx, payment.payment_id, reply);
      await recordEnrolled(trx, payment);
      return reply;
    });
    await failpoint("payments.after_challenge");
    if (shown) deps.events.challengeShown(payment);
    return shown ?? (await currentEnrolment(deps, payment)) ?? notKnown(payment);
  } catch (error) {
    deps.events.writeFailed("record", payment, error);
    return notKnown(payment);
  }
}

async function recordEnrolled(
  trx: Transaction<PaymentsDatabase>,
  { payment_id }: PaymentToConclude,
): Promise<void> {
  const enrolled = await trx
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "=", payment_id)
    .executeTakeFirstOrThrow();
  await recordEvent(trx, enrolled, PAYMENT_ENROLLED, enrolled.traceparent);
}

async function authorizeAtOnce(
  deps: EnrolPaymentDeps,
  message: Message,
  payment: PaymentToConclude,
  decision: Extract<EnrolmentDecision, { to: "AUTHORIZING" }>,
): Promise<Reply> {
  const keyed = message.context.idempotency !== undefined;
  const { deadlineAt } = message.context;
  if (deps.now() > deadlineAt) {
    const late = { to: "REVERSING", cause: "deadline_passed" } as const;
    return await concludeAuthorization(deps, payment, late, { keyed });
  }
  try {
    const started = await deps.db
      .transaction()
      .execute((trx) => startAuthorizing(trx, payment, decision, deps.limits.leaseMs));
    if (!started) return (await currentState(deps, payment)) ?? notKnown(payment);
  } catch (error) {
    deps.events.writeFailed("record", payment, error);
    return notKnown(payment);
  }
  await failpoint("payments.after_frictionless");
  const authorizing = {
    ...payment,
    state: "AUTHORIZING" as const,
    version: payment.version + 1,
    recovery_from: new Date(deps.now()),
  };
  return await completeAuthorization(deps, authorizing, { session: decision.session, deadlineAt, keyed });
}

function notKnown(payment: PaymentToConclude): Reply {
  return { outcome: "pending", result: paymentRecord(payment) };
}

/** The payment as it stands, with the way to its challenge while there is one to pass. */
async function currentEnrolment(
  { db }: { db: Kysely<PaymentsDatabase> },
  payment: { payment_id: string; merchant_id: string },
): Promise<Extract<Reply, { result: unknown }> | undefined> {
  const state = await currentState({ db }, payment);
  const found = await findSession(db, { paymentId: payment.payment_id });
  const challengeWay = found && challengeOf(found) && wayToChallenge(found.session);
  return state && { ...state, result: { ...state.result, ...(challengeWay && { challengeWay }) } };
}

/** The form of an open challenge, for answers of whatever age: stored ones have only the way there. */
export async function withForm({ db }: Pick<EnrolPaymentDeps, "db">, reply: Reply): Promise<Reply> {
  if (!("result" in reply) || !reply.result.challengeWay) return reply;
  const found = await findSession(db, { paymentId: reply.result.paymentId });
  const challenge = found && challengeOf(found);
  return challenge && "url" in challenge ? { ...reply, result: { ...reply.result, challenge } } : reply;
}
