/**
 * A movement of money that is repeated until its outcome is known: a capture, a cancellation, a release or a
 * refund. The bank is asked about the last call's reference. If the bank has not seen it and it can no longer
 * arrive, it is sent again under that reference. If the bank has called it too late, it is sent under the
 * next one.
 */
import {
  namesShown,
  withSubReference,
  type AcquirerOutcome,
  type Attempt,
  type FollowUpRequest,
  type Verdict,
} from "@holdfast/acquirer";
import type { Kysely, Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { askAboutOrder, reportMismatch, waitUntil, type AskDeps } from "./ask-about.ts";
import { followUpOf, type OrderedPayment } from "./attempts.ts";
import {
  answerToChargedBack,
  besideApproval,
  isApproved,
  lastSentMsAgo,
  mayHaveLeft,
  movementOutcome,
  namesFor,
  type BankCall,
  type MovementOutcome,
} from "./bank-call.ts";
import {
  beginCall,
  makeCall,
  noteAnswer,
  type BegunCall,
  type HeldPayment,
  type NewCall,
} from "./call-queries.ts";

export type Movement = {
  kind: "capture" | "void" | "release" | "refund";
  /** The first call's reference; later references add a number to it. */
  reference: string;
  /** The operation or the refund; absent for the refund in place of a payment's reversal. */
  movementId?: string;
  amountMinor: bigint;
};

export type MovementDeps = AskDeps & { db: Kysely<PaymentsDatabase> };

/** The calls of one movement, from all calls of its payment. */
export function callsOf(
  calls: readonly BankCall[],
  { movementId, kind }: Pick<Movement, "movementId" | "kind">,
): BankCall[] {
  return calls.filter((call) =>
    movementId === undefined
      ? call.movement_id === null && call.kind === kind
      : call.movement_id === movementId,
  );
}

/** The number of the reference under which it was sent last, or will be sent first. */
export function subReferenceOf(calls: readonly BankCall[], movement: Movement): number {
  return callsOf(calls, movement).at(-1)?.sub_reference ?? 1;
}

/** The judgement of an answer by a bank that does not give our reference of such a movement back. */
type Among = { otherNames: readonly string[]; judge: (shown: Verdict) => Promise<Verdict> };

/** Asks the bank for the outcome of a movement, under its last reference or another, and notes the answer. */
export async function inquire(
  deps: MovementDeps,
  payment: OrderedPayment,
  movement: Movement,
  calls: readonly BankCall[],
): Promise<Verdict> {
  const subReference = subReferenceOf(calls, movement);
  return (await inquireAmong(deps, payment, movement, calls, { subReference })).verdict;
}

/**
 * Inquires about a movement of which an order may have several.
 * @returns the verdict, and the names that the bank shows: see `namesShown`.
 */
export async function inquireAmong(
  deps: MovementDeps,
  payment: OrderedPayment,
  movement: Movement,
  calls: readonly BankCall[],
  { subReference, among }: { subReference: number; among?: Among | undefined },
): Promise<{ verdict: Verdict; names: readonly string[] | undefined }> {
  const own = callsOf(calls, movement);
  const attempt: Attempt = {
    reference: withSubReference(movement.reference, subReference),
    kind: movement.kind,
    amountMinor: movement.amountMinor,
    currency: payment.currency,
    ...(payment.external_transaction_id !== null && { targetTransactionId: payment.external_transaction_id }),
    ...(among && { names: namesFor(own, among.otherNames) }),
  };
  const { verdict: shown, inquiry } = await askAboutOrder(deps, payment, attempt);
  const judged = among ? await among.judge(shown) : shown;
  reportMismatch(deps, payment, { verdict: judged, inquiry });
  const sent = own.filter((call) => mayHaveLeft(call) && call.sub_reference === subReference);
  const found = besideApproval(judged, sent.findLast(isApproved));
  // An approval of a call that never left this machine was made by others, in the bank's panel. Only noted
  // calls are booked.
  const last = sent.at(-1) ?? (found.kind === "approved" && !among ? own.at(-1) : undefined);
  // A movement without our reference that was voided may be another's: this one is still under way.
  const isOurs = !among || found.kind !== "reversed";
  const verdict = last && isOurs ? await noteFound(deps, payment, last, found) : found;
  return { verdict, names: namesShown(inquiry, movement.kind) };
}

/**
 * Notes an inquiry's answer about a call; an unknown or already known answer changes nothing.
 * @returns the answer as it was noted.
 */
export async function noteFound(
  { db, bank, events }: Pick<MovementDeps, "db" | "bank" | "events">,
  payment: Pick<OrderedPayment, "payment_id" | "merchant_id" | "account_id">,
  call: BankCall,
  found: Verdict,
): Promise<Verdict> {
  if (found.kind === "not_found" || found.kind === "unknown" || found.kind === "not_sent") return found;
  const said = call.approved_minor ?? call.amount_minor;
  const isKnown = call.outcome === found.kind && (found.kind !== "approved" || found.amountMinor === said);
  if (isKnown) return found;
  const noted = await noteAnswer(db, call, found, bank.of(payment.account_id).capabilities);
  if (noted !== found) events.answerMismatched(payment);
  return noted;
}

/** The movement's outcome by an inquiry about it, or how it continues. */
export function nextStep(
  { bank }: Pick<MovementDeps, "bank">,
  payment: OrderedPayment,
  movement: Movement,
  calls: readonly BankCall[],
  inquiry: Verdict,
): MovementOutcome {
  const subReference = subReferenceOf(calls, movement);
  const sent = callsOf(calls, movement).filter((call) => call.sub_reference === subReference);
  const { horizonMs } = bank.termsOf(payment.account_id);
  const asked = { amountMinor: movement.amountMinor, currency: payment.currency };
  const sending = { sentMsAgo: lastSentMsAgo(sent), horizonMs };
  return movementOutcome(inquiry, asked, sending, bank.of(payment.account_id).capabilities);
}

/** The answer to a call, and the number of the reference that it was made under. */
export type Sent = { outcome: AcquirerOutcome; subReference: number };

/**
 * Sends it, again or for the first time, unless a chargeback has given the buyer the money meanwhile.
 * @returns undefined if another process has sent it, or holds the payment now.
 */
export async function send(
  deps: MovementDeps,
  payment: OrderedPayment & HeldPayment,
  movement: Movement,
  calls: readonly BankCall[],
  step: "repeat" | "repeat_under_new_reference",
): Promise<Sent | undefined> {
  const subReference = subReferenceOf(calls, movement) + (step === "repeat" ? 0 : 1);
  const isRepeated = step === "repeat" && callsOf(calls, movement).some(mayHaveLeft);
  // The wait is counted from before the commit: a process that stops after it must not send the call when
  // another process may.
  const until = waitUntil(deps);
  const call = await deps.db.transaction().execute(async (trx) => {
    if (await isChargedBack(trx, payment, movement)) return "charged_back";
    return await beginCall(trx, payment, newCall(payment, movement, subReference), calls);
  });
  if (!call) return undefined;
  if (call === "charged_back") {
    const { horizonMs } = deps.bank.termsOf(payment.account_id);
    const outcome = answerToChargedBack(callsOf(calls, movement), horizonMs, deps.now());
    return { outcome, subReference: subReferenceOf(calls, movement) };
  }
  return {
    outcome: await sendBegun(deps, payment, { ...movement, subReference, call, isRepeated }, until),
    subReference,
  };
}

/** Chargebacks are counted under the same lock. A void is judged as its cancellation was: see `decideCancel`. */
async function isChargedBack(
  trx: Transaction<PaymentsDatabase>,
  { payment_id }: HeldPayment,
  { kind }: Movement,
): Promise<boolean> {
  const { charged_back_minor, transaction_type } = await trx
    .selectFrom("payment")
    .select(["charged_back_minor", "transaction_type"])
    .where("payment_id", "=", payment_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const paysBuyer = kind === "refund" || (kind === "void" && transaction_type === "PAYMENT");
  return paysBuyer && charged_back_minor > 0n;
}

/**
 * A movement's call under the n-th of its references.
 * @param namesBefore for a movement that only names identify: see `Names`.
 */
export function newCall(
  payment: OrderedPayment,
  movement: Movement,
  subReference: number,
  namesBefore?: readonly string[],
): NewCall {
  const { kind, reference, movementId, amountMinor } = movement;
  return {
    kind,
    reference: withSubReference(reference, subReference),
    subReference,
    amountMinor,
    currency: payment.currency,
    ...(movementId !== undefined && { movementId }),
    namesBefore,
  };
}

/**
 * Makes a call that has begun. @param until the end of our own wait.
 * @param movement `isRepeated` where it was sent before: see `FollowUpRequest`.
 */
export async function sendBegun(
  { db, bank, events }: Pick<MovementDeps, "db" | "bank" | "events">,
  payment: OrderedPayment,
  {
    call,
    subReference,
    isRepeated = false,
    ...movement
  }: Movement & { call: BegunCall; subReference: number; isRepeated?: boolean },
  until: Date,
): Promise<AcquirerOutcome> {
  const request: FollowUpRequest = {
    ...followUpOf(payment),
    reference: withSubReference(movement.reference, subReference),
    amountMinor: movement.amountMinor,
    ...(isRepeated && { isRepeated }),
    waitUntil: until,
  };
  const acquirer = bank.of(payment.account_id);
  const method = { capture: "capture", void: "cancel", release: "release", refund: "refund" } as const;
  let answer: AcquirerOutcome | undefined;
  const noted = await makeCall(db, call, acquirer.capabilities, async () => {
    answer = await acquirer[method[movement.kind]](request);
    // This comes before the answer is noted, after which nobody asks about it again.
    if ("holdStands" in answer && answer.holdStands) events.holdStands(payment, "voided_capture");
    return answer;
  });
  if (noted !== answer) events.answerMismatched(payment);
  return noted;
}
