import {
  businessDayEnd,
  type AcquirerAmount,
  type AcquirerOutcome,
  type BusinessDay,
  type FollowUpRequest,
  type ReversalOutcome,
  type ReversalRequest,
} from "@holdfast/acquirer";
import {
  PENDING,
  cancelledBy,
  reversedBy,
  standingOf,
  voidStanding,
  type Settled,
} from "@holdfast/acquirer/kit";

import type { Failure } from "./envelope.ts";
import { FAILURE_CODES } from "./failure-codes.ts";
import type { Account } from "./iyzico-calls.ts";
import { asCancellable, takenUnder, type TakenPayment } from "./order-details.ts";
import { readGivenBack } from "./read-payment.ts";
import { cancelRequest } from "./requests.ts";

/**
 * iyzico cancels a sale only on its business day, and does not document the code of a later refusal. After
 * the day's end its record says whether the sale was cancelled, and an unlisted code does not count as a
 * refusal. A sale has no `capturedMinor`. An authorization has one, and can be cancelled on later days, too.
 */
export async function cancel(
  account: Account,
  request: FollowUpRequest,
  paymentId: string,
): Promise<AcquirerOutcome> {
  const { target, orderId, parentReference, waitUntil } = request;
  const clock = { now: new Date(), businessDay: account.businessDay };
  const isInTime =
    target.capturedMinor !== undefined || clock.now < businessDayEnd(target.at, clock.businessDay);
  if (isInTime) return cancelledBy(await cancelNamed(account, request, paymentId, asSettled));
  const details = await account.calls.details(orderId, waitUntil);
  if (details.kind !== "payments") return details;
  const payments = takenUnder(details.payments, parentReference);
  const outcome = await voidStanding(standingAmong(payments, target.at, clock), request, {
    send: () => cancelNamed(account, request, paymentId, asSettled),
    settled: ({ resultCode, because }) => ({ resultCode, resultMessage: because }),
  });
  // The sale was approved: a record that does not show it is behind.
  return outcome.kind === "none" ? PENDING : cancelledBy(outcome);
}

function standingAmong(payments: readonly TakenPayment[], sentAt: Date, clock: Clock) {
  return standingOf(payments.map((payment) => asCancellable(payment, sentAt, clock)));
}

type Clock = { now: Date; businessDay: BusinessDay };

/**
 * Asks first, so that a cancel names a valid payment, and a cancelled or refunded one is not touched. Once
 * iyzico calls a cancel too late, a refund gives the money back.
 */
export async function reverse(account: Account, request: ReversalRequest): Promise<ReversalOutcome> {
  const { orderId, reference, target, waitUntil } = request;
  const details = await account.calls.details(orderId, waitUntil);
  if (details.kind !== "payments") return details;
  const clock = { now: new Date(), businessDay: account.businessDay };
  const payments = takenUnder(details.payments, reference);
  const send = (paymentId: string, { amountMinor, currency }: AcquirerAmount) => {
    const call = { reference: `${reference}:reverse`, amountMinor, currency, waitUntil };
    return cancelNamed(account, call, paymentId, asSettled);
  };
  const outcome = await voidStanding(standingAmong(payments, target.at, clock), request, {
    send: (payment) => send(payment.externalTransactionId, payment),
    settled: ({ resultCode, because }) => ({ resultCode, resultMessage: because }),
  });
  const name = target.externalTransactionId;
  if (outcome.kind !== "none" || name === undefined) return reversedBy(outcome);
  // iyzico has named it in an answer, and its record does not show it.
  const named = await send(name, request);
  return reversedBy(named.kind === "declined" ? outcome : named);
}

function asSettled({ code: resultCode, message: resultMessage }: Failure): Settled | undefined {
  const isDayEnd = FAILURE_CODES.get(resultCode) === "day_not_ended";
  return isDayEnd ? { kind: "settled", resultCode, resultMessage } : undefined;
}

function cancelNamed<Failed = never>(
  { settings, calls }: Account,
  call: AcquirerAmount & { reference: string; requestIp?: string; waitUntil: Date },
  paymentId: string,
  onFailure?: (failure: Failure) => Failed | undefined,
) {
  const sent = cancelRequest(call, paymentId, settings);
  const about = { ...call, conversationId: call.reference, paymentId };
  return calls.outcome(sent, call.waitUntil, (answer) => readGivenBack(answer, about), onFailure);
}
