import type { Declined } from "../acquirer.ts";
import { businessDayEnd } from "../business-day.ts";
import type { BusinessDay } from "../connector.ts";
import type { CallOutcome, Order } from "./order-acquirer.ts";
import { standingIn, type OrderRecord } from "./order-record.ts";
import { MISMATCH, PENDING } from "./outcomes.ts";
import { approvedBy, type Standing, type Success, type VoidOutcome } from "./standing.ts";

export type VoidCalls = {
  /** Asks for the order's record. */
  look(): Promise<OrderRecord>;
  /** Voids a success at the bank: by its name, or by its order if the bank voids the last movement. */
  undo(success: Success): Promise<CallOutcome>;
  /** True if the business day of the movement to void is over, by our own clock. */
  isDayOver: boolean;
  refusals: VoidRefusals;
};

/** The meaning of a refusal while the record continues showing the target of the void. */
export type VoidRefusals = {
  /** True if the code means that there is nothing to void, or no longer: the record lags behind. */
  readonly isNothingLeft: (code: string) => boolean;
  /** The business day is over. */
  readonly isSettled: (code: string) => boolean;
  /** True if the code is about the request or the order's state: the void would be refused on any day. */
  readonly isOfRequest: (code: string) => boolean;
  /** True if the code may have any cause: it is believed only if the void is repeated, after its day, too. */
  readonly isUncertain: (code: string) => boolean;
};

/**
 * Voids a movement at a bank whose answer does not name the voided movement. The record is read directly
 * before, and nothing is sent unless this movement is the only valid one. The record is read again after each
 * answer, and a movement counts as voided only if the record shows it so. The void of a capture makes its
 * authorization valid again, which is then voided in the same way. Each step continues from the record, so an
 * interrupted void is continued by repeating it.
 * @param name the bank's name of the movement.
 */
export async function voidByRecord(order: Order, name: string, calls: VoidCalls): Promise<VoidOutcome> {
  const before = await calls.look();
  const standing = standingIn(before, order, name);
  if (!("success" in standing)) return undecided(standing);
  const { success } = standing;
  if (success.externalTransactionId !== name) return PENDING;
  if (success.isCredited) return MISMATCH;
  const outcome = standing.kind === "voided" ? undefined : await calls.undo(success);
  if (outcome && outcome.kind !== "approved" && outcome.kind !== "declined") return outcome;
  const after = outcome ? await calls.look() : before;
  const ended = standingIn(after, order, name);
  if (ended.kind === "voided") return withoutHold(order, success, { after, calls });
  if (outcome?.kind !== "declined" || ended.kind !== "live") return afterCall(undecided(ended));
  return endOfRefusal(outcome, { order, success, calls, isCaptureVoided: hasVoidedCapture(after) });
}

/** The end of a void that the record shows, once no hold is left of it. */
async function withoutHold(
  order: Order,
  voided: Success,
  { after, calls }: { after: OrderRecord; calls: VoidCalls },
): Promise<VoidOutcome> {
  const left = standingIn(after, order);
  if (left.kind === "voided") return approvedBy(voided, order);
  if (left.kind !== "live" || left.success.state !== "held") return afterCall(undecided(left));
  const hold = await voidByRecord(order, left.success.externalTransactionId, calls);
  const { externalTransactionId } = voided;
  return hold.kind === "approved" ? { ...hold, externalTransactionId } : afterCall(hold);
}

/**
 * The end of a void that was refused while the record still shows its target as valid. A bank may not
 * document the code of a refusal after the day's end, so any code may mean it, except those of a fault in the
 * request. The record may also lag behind a void that was carried out.
 */
function endOfRefusal(
  refusal: Declined,
  {
    order,
    success,
    calls,
    isCaptureVoided,
  }: { order: Order; success: Success; calls: VoidCalls; isCaptureVoided: boolean },
): VoidOutcome {
  const { resultCode, resultMessage } = refusal;
  const { isNothingLeft, isSettled, isOfRequest, isUncertain } = calls.refusals;
  if (isNothingLeft(resultCode)) return PENDING;
  if (isUncertain(resultCode) && !order.isRepeated) return PENDING;
  // The money is not taken: the hold alone is left.
  if (isCaptureVoided) return { ...approvedBy(success, order), holdStands: true };
  const isLate = calls.isDayOver || order.isRepeated === true;
  if (!isSettled(resultCode) && (!isLate || isOfRequest(resultCode))) return refusal;
  if (success.state === "taken") return { kind: "settled", resultCode, resultMessage };
  // An issuer may say otherwise on another day.
  return refusal.declineClass === "technical" ? { ...refusal, isTooLate: true } : refusal;
}

function hasVoidedCapture(record: OrderRecord): boolean {
  const movements = record.kind === "found" ? record.movements : [];
  return movements.some(({ kind, state }) => kind === "capture" && state === "voided");
}

/** A void is of unknown outcome if the record shows neither its target nor its end. */
function undecided(standing: Standing): VoidOutcome {
  return standing.kind === "unknown" || standing.kind === "not_sent" ? standing : PENDING;
}

/** A call of the same void has left before: whatever was not sent after it leaves the void open. */
function afterCall(outcome: VoidOutcome): VoidOutcome {
  return outcome.kind === "unknown" ? outcome : PENDING;
}

/**
 * True if a void is too late by our own clock; false for a captured movement, whose day is not known.
 * @param holdDays the number of days on which the bank releases an authorization, its own day included.
 */
export function isVoidLate({ target }: Order, day: BusinessDay, holdDays = 1): boolean {
  if (target === undefined || (target.capturedMinor ?? 0n) > 0n) return false;
  const daysMore = target.capturedMinor === undefined ? 0 : holdDays - 1;
  return new Date() >= businessDayEnd(new Date(target.at.getTime() + daysMore * DAY_MS), day);
}

const DAY_MS = 86_400_000;
