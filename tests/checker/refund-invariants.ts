import type { ObservedPayment, ObservedRefund, ObservedRefunds } from "./observed-refunds.ts";

/**
 * The promises about refunds, each a comparison of what was found after everything has come to rest. Each answers with what
 * breaks it, by id; the numbers are those under which the promises are known.
 */
export const REFUND_INVARIANTS = {
  "9 refunds never exceed the payment": refundsWithinPayment,
  "10 each refund is of a refundable payment of the same merchant and currency": refundsOfRefundablePayments,
  "11 what payments holds is what refunds say": reservationsMatchRefunds,
  "12 the bank paid each refund once, after its approval, exactly when it is SUCCESS": paidOnce,
  "13 others than the requester decided, enough of them, and it is written down": decidedByOthers,
  "29 what the bank holds is what our rows add up to": moneyConserved,
  "nothing is left under way": nothingUnderWay,
} as const satisfies Record<string, (observed: ObservedRefunds) => string[]>;

/** @returns one line for each violation. */
export function brokenRefundInvariants(observed: ObservedRefunds): string[] {
  return Object.entries(REFUND_INVARIANTS).flatMap(([name, check]) =>
    check(observed).map((violation) => `${name}: ${violation}`),
  );
}

const HOLDS_MONEY = new Set(["PENDING_APPROVAL", "EXECUTING", "SETTLING", "SUCCESS"]);

/** Replays the changes in the order of their transactions. */
export function refundsWithinPayment({ history, refunds, payments }: ObservedRefunds): string[] {
  const byId = new Map(refunds.map((refund) => [refund.refundId, refund]));
  const paymentsById = new Map(payments.map((payment) => [payment.paymentId, payment]));
  const held = new Map<string, bigint>();
  const add = (key: string, amount: bigint) => held.set(key, (held.get(key) ?? 0n) + amount);
  const inOrder = history.toSorted((a, b) => Number(a.xactId - b.xactId) || a.version - b.version);
  const atEachStep = inOrder.flatMap(({ refundId, from, to }) => {
    const refund = byId.get(refundId);
    const payment = refund && paymentsById.get(refund.paymentId);
    if (!refund || !payment) return [`${refundId} or its payment is not there`];
    const key = `${refund.paymentId} ${refund.kind}`;
    if (!HOLDS_MONEY.has(from) && HOLDS_MONEY.has(to)) add(key, refund.amountMinor);
    if (HOLDS_MONEY.has(from) && !HOLDS_MONEY.has(to)) add(key, -refund.amountMinor);
    const limit = limitOf(payment, refund.kind);
    const sum = held.get(key) ?? 0n;
    return sum > limit ? [`${refundId} ${to}: ${sum} of ${limit}`] : [];
  });
  const atTheEnd = payments.flatMap(({ paymentId, amountMinor, capturedMinor }) => {
    const released = held.get(`${paymentId} release`) ?? 0n;
    return released + capturedMinor > amountMinor
      ? [`${paymentId}: ${released} released of what was captured`]
      : [];
  });
  return [...atEachStep, ...atTheEnd];
}

/** A release may have ended in nothing before the payment was captured, so at each step it is held to the whole amount. */
function limitOf(payment: ObservedPayment, kind: string | null): bigint {
  return kind === "refund" && payment.state === "CAPTURED" ? payment.capturedMinor : payment.amountMinor;
}

export function refundsOfRefundablePayments({ refunds, payments }: ObservedRefunds): string[] {
  const byId = new Map(payments.map((payment) => [payment.paymentId, payment]));
  return refunds.flatMap((refund) => {
    if (refund.state === "RESERVING") return [];
    const payment = byId.get(refund.paymentId);
    if (!payment) return [`${refund.refundId} has no payment`];
    const { merchantId, currency, state } = payment;
    const fits = merchantId === refund.merchantId && currency === refund.currency;
    // A payment may have been cancelled since, when nothing was reserved.
    const refundable = state === "SUCCESS" || state === "CAPTURED" || state === "CANCELLED";
    return fits && refundable
      ? []
      : [`${refund.refundId} is of a ${state} payment of ${merchantId} in ${currency}`];
  });
}

/** Reservation states that each refund state allows. */
const RESERVATION_OF: Record<string, string[]> = {
  PENDING_APPROVAL: ["ACTIVE"],
  EXECUTING: ["ACTIVE"],
  SETTLING: ["ACTIVE", "SETTLED"],
  FAILING: ["ACTIVE", "RELEASED"],
  REJECTING: ["ACTIVE", "RELEASED"],
  SUCCESS: ["SETTLED"],
  FAILED: ["RELEASED"],
  REJECTED: ["RELEASED"],
};

export function reservationsMatchRefunds(observed: ObservedRefunds): string[] {
  const reservations = new Map(observed.reservations.map((each) => [each.refundId, each]));
  const refunds = new Map(observed.refunds.map((each) => [each.refundId, each]));
  const ofRefunds = observed.refunds.flatMap(({ refundId, state, amountMinor }) => {
    if (state === "RESERVING") return [];
    const reservation = reservations.get(refundId);
    const fits =
      reservation?.amountMinor === amountMinor && RESERVATION_OF[state]?.includes(reservation.state);
    return fits
      ? []
      : [`${refundId} is ${state}, reserved as ${reservation?.state} ${reservation?.amountMinor}`];
  });
  const ofReservations = observed.reservations.flatMap(({ refundId, state }) =>
    (state === "ACTIVE" || state === "SETTLED") && !refunds.has(refundId)
      ? [`${refundId} is ${state} for nobody`]
      : [],
  );
  const ofPayments = observed.payments.flatMap(({ paymentId, ...payment }) => {
    const sum = (state: string, kind?: string) =>
      observed.reservations
        .filter((each) => each.paymentId === paymentId && each.state === state)
        .filter(({ refundId }) => kind === undefined || refunds.get(refundId)?.kind === kind)
        .reduce((total, { amountMinor }) => total + amountMinor, 0n);
    const fits =
      payment.reservedMinor === sum("ACTIVE") &&
      payment.refundedMinor === sum("SETTLED", "refund") &&
      payment.releasedMinor === sum("SETTLED", "release");
    return fits ? [] : [`${paymentId} does not hold what its reservations add up to`];
  });
  return [...ofRefunds, ...ofReservations, ...ofPayments];
}

export function paidOnce({ ledger, refunds, approvals }: ObservedRefunds): string[] {
  const known = new Set(refunds.map(({ refundId }) => refundId));
  const paid = ledger.filter(
    ({ operation, outcome }) => outcome === "approved" && (operation === "refund" || operation === "release"),
  );
  const strangers = paid.filter(({ reference }) => !known.has(idOf(reference)));
  const ofRefunds = refunds.flatMap((refund) => {
    const { refundId, state, amountMinor } = refund;
    const lines = paid.filter(({ reference }) => idOf(reference) === refundId);
    const expected =
      state === "SUCCESS" || state === "SETTLING" ? 1 : state === "EXECUTING" ? lines.length : 0;
    if (lines.length > 1 || lines.length !== expected)
      return [`${refundId} is ${state}, paid ${lines.length} times`];
    const approved = approvals.filter((approval) => approval.refundId === refundId);
    return lines.flatMap((line) => [
      ...(BigInt(line.amountMinor) === amountMinor ? [] : [`${refundId} was paid ${line.amountMinor}`]),
      ...(line.operation === refund.kind ? [] : [`${refundId} was a ${line.operation}`]),
      // Both clocks are this machine's, to the millisecond.
      ...(approved.some(({ at }) => at.getTime() <= Date.parse(line.at) + 1)
        ? []
        : [`${refundId} was paid unapproved`]),
    ]);
  });
  return [...ofRefunds, ...strangers.map(({ reference }) => `${reference} was paid for nobody`)];
}

export function decidedByOthers(observed: ObservedRefunds): string[] {
  const { refunds, approvals, audit, twoApproversAbove } = observed;
  return refunds.flatMap((refund) => {
    const { refundId, state, requestedBy, rejectedBy } = refund;
    const approvers = approvals
      .filter((each) => each.refundId === refundId)
      .map(({ approvedBy }) => approvedBy);
    const above = twoApproversAbove[refund.currency];
    const required = above !== undefined && refund.amountMinor > above ? 2 : 1;
    const carriedOut = ["EXECUTING", "SETTLING", "FAILING", "SUCCESS", "FAILED"].includes(state);
    const rejected = state === "REJECTING" || state === "REJECTED";
    const expected = [
      ...approvers.map((name) => `${name} refund.approved`),
      ...(rejectedBy === null ? [] : [`${rejectedBy} refund.rejected`]),
      ...(requestedBy === null ? [] : [`${requestedBy} refund.requested`]),
    ];
    const written = audit
      .filter(({ subject }) => subject === refundId)
      .map(({ actor, action }) => `${actor} ${action}`);
    return [
      ...(requestedBy !== null && approvers.includes(requestedBy)
        ? [`${refundId}: ${requestedBy} approved their own`]
        : []),
      ...(carriedOut && new Set(approvers).size < required
        ? [`${refundId} is ${state} with too few approvals`]
        : []),
      ...(rejected === (rejectedBy !== null) ? [] : [`${refundId} is ${state}, rejected by ${rejectedBy}`]),
      ...(expected.toSorted().join() === written.toSorted().join()
        ? []
        : [`${refundId}: written down is ${written.join()}`]),
    ];
  });
}

export function moneyConserved({ ledger, payments, refunds }: ObservedRefunds): string[] {
  const owner = new Map([
    ...payments.map(({ paymentId, merchantId }) => [paymentId, merchantId] as const),
    ...refunds.map(({ refundId, merchantId }) => [refundId, merchantId] as const),
  ]);
  const undone = new Set(
    ledger.flatMap(({ operation, reference, parentReference, outcome }) => {
      if (outcome !== "approved") return [];
      if (operation === "reverse") return [reference];
      return operation === "cancel" && parentReference !== null ? [parentReference] : [];
    }),
  );
  const bank = new Map<string, bigint>();
  for (const { operation, reference, outcome, amountMinor, currency } of ledger) {
    if (outcome !== "approved" || undone.has(reference)) continue;
    const key = `${owner.get(idOf(reference))} ${currency}`;
    const sign = operation === "sale" || operation === "capture" ? 1n : operation === "refund" ? -1n : 0n;
    bank.set(key, (bank.get(key) ?? 0n) + sign * BigInt(amountMinor));
  }
  const ours = new Map<string, bigint>();
  const add = (key: string, amount: bigint) => ours.set(key, (ours.get(key) ?? 0n) + amount);
  for (const payment of payments) add(`${payment.merchantId} ${payment.currency}`, takenBy(payment));
  for (const refund of refunds) add(`${refund.merchantId} ${refund.currency}`, -paidBackBy(refund));
  return [...new Set([...bank.keys(), ...ours.keys()])].flatMap((key) => {
    const [theirs = 0n, here = 0n] = [bank.get(key), ours.get(key)];
    return theirs === here ? [] : [`${key}: the bank has ${theirs}, we have ${here}`];
  });
}

function takenBy({ transactionType, state, amountMinor, capturedMinor }: ObservedPayment): bigint {
  if (state === "CAPTURED") return capturedMinor;
  return transactionType === "PAYMENT" && state === "SUCCESS" ? amountMinor : 0n;
}

function paidBackBy({ state, kind, amountMinor }: ObservedRefund): bigint {
  return (state === "SUCCESS" || state === "SETTLING") && kind === "refund" ? amountMinor : 0n;
}

export function nothingUnderWay({ refunds }: ObservedRefunds): string[] {
  const atRest = new Set(["PENDING_APPROVAL", "SUCCESS", "FAILED", "REJECTED"]);
  return refunds.flatMap(({ refundId, state }) => (atRest.has(state) ? [] : [`${refundId} is ${state}`]));
}

/** Our references begin with the id of the payment or the refund. */
function idOf(reference: string): string {
  return reference.slice(0, 36);
}
