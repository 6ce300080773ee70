import {
  businessDayEnd,
  type AcquirerAmount,
  type AcquirerOutcome,
  type FollowUpRequest,
  type ReversalOutcome,
  type ReversalRequest,
} from "@holdfast/acquirer";
import {
  CAPTURED_ELSEWHERE,
  PENDING,
  cancelledBy,
  isTaken,
  reversedBy,
  reversedByName,
  standingOf,
  voidStanding,
  type Settled,
  type Standing,
} from "@holdfast/acquirer/kit";

import type { Failure } from "./envelope.ts";
import { FAILURE_CODES } from "./failure-codes.ts";
import type { Account } from "./iyzico-calls.ts";
import { asCancellable, takenUnder, type Cancellable } from "./order-details.ts";
import { readGivenBack } from "./read-payment.ts";
import { cancelRequest } from "./requests.ts";

/**
 * iyzico cancels a sale only on its business day, and does not document the code of a later refusal. After
 * the day's end its record says whether the sale was cancelled, and an unlisted code does not count as a
 * refusal. A sale has no `capturedMinor`. An authorization has one, and can be cancelled on later days, too.
 * A hold is cancelled only where the record shows that nobody else has captured it.
 */
export async function cancel(
  account: Account,
  request: FollowUpRequest,
  paymentId: string,
): Promise<AcquirerOutcome> {
  const { parentReference, target } = request;
  const isHold = target.capturedMinor === 0n;
  const isCapture = target.capturedMinor !== undefined && !isHold;
  const send = () => cancelNamed(account, request, paymentId, asSettled);
  if (isCapture || (!isHold && new Date() < businessDayEnd(target.at, account.businessDay)))
    return cancelledBy(await send());
  // A second success beside a hold is not the call's: iyzico cancels the payment that it names.
  const shown = await standingUnder(account, parentReference, request, isHold ? paymentId : undefined);
  if (isHold && isTaken(shown)) return CAPTURED_ELSEWHERE;
  const outcome = await voidStanding(shown, request, {
    send,
    settled: ({ resultCode, because }) => ({ resultCode, resultMessage: because }),
  });
  // The payment was approved: a record that does not show it is behind.
  return outcome.kind === "none" ? PENDING : cancelledBy(outcome);
}

/** @param paymentId of the only payment that counts; without it, all under the reference count. */
async function standingUnder(
  { calls, businessDay }: Account,
  reference: string,
  { orderId, target, waitUntil }: Pick<ReversalRequest, "orderId" | "target" | "waitUntil">,
  paymentId?: string,
): Promise<Standing<Cancellable>> {
  const details = await calls.details(orderId, waitUntil);
  if (details.kind !== "payments") return details;
  const clock = { now: new Date(), businessDay };
  const payments = takenUnder(details.payments, reference).filter(
    (payment) => paymentId === undefined || payment.paymentId === paymentId,
  );
  return standingOf(payments.map((payment) => asCancellable(payment, target.at, clock)));
}

/**
 * Asks first, so that a cancel names a valid payment, and a cancelled or refunded one is not touched. Once
 * iyzico calls a cancel too late, a refund gives the money back.
 */
export async function reverse(account: Account, request: ReversalRequest): Promise<ReversalOutcome> {
  const { reference, target, waitUntil } = request;
  const send = (paymentId: string, { amountMinor, currency }: AcquirerAmount) => {
    const call = { reference: `${reference}:reverse`, amountMinor, currency, waitUntil };
    return cancelNamed(account, call, paymentId, asSettled);
  };
  const outcome = await voidStanding(await standingUnder(account, reference, request), request, {
    send: (payment) => send(payment.externalTransactionId, payment),
    settled: ({ resultCode, because }) => ({ resultCode, resultMessage: because }),
  });
  const name = target.externalTransactionId;
  if (outcome.kind !== "none" || name === undefined) return reversedBy(outcome);
  // iyzico has named it in an answer, and its record does not show it.
  const named = await send(name, request);
  if (named.kind === "approved") return reversedByName(await standingUnder(account, reference, request));
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
