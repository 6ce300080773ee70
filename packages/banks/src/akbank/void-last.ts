import type { Declined } from "@holdfast/acquirer";
import {
  approvedBy,
  MISMATCH,
  PENDING,
  standingIn,
  type CallOutcome,
  type Order,
  type OrderRecord,
  type Standing,
  type Success,
  type VoidOutcome,
} from "@holdfast/acquirer/kit";

import { isOfNoList, isOfRequest, NOTHING_LEFT } from "./result-codes.ts";

export type VoidCalls = {
  /** Asks for the order's record. */
  look(): Promise<OrderRecord>;
  /** Has the bank undo the order's last movement, whichever that is. */
  undoLast(): Promise<CallOutcome>;
  /** The business day of what is to be voided is over, by our own clock. */
  isDayOver: boolean;
};

/**
 * Voids a movement at a bank that undoes what came last, and whose answer does not name it. The record is read directly
 * before, and nothing is sent unless the movement stands in it alone. It is read again after each answer, and only what it
 * shows as voided counts as that. The void of a capture makes its hold valid again, which is then voided in the same way.
 * Each step goes on from what the record shows, so that a void that was cut off is continued by repeating it.
 * @param name the bank's name of the movement.
 */
export async function voidLast(order: Order, name: string, calls: VoidCalls): Promise<VoidOutcome> {
  const before = await calls.look();
  const standing = standingIn(before, order, name);
  if (!("success" in standing)) return undecided(standing);
  const { success } = standing;
  if (success.externalTransactionId !== name) return PENDING;
  if (success.isCredited) return MISMATCH;
  const outcome = standing.kind === "voided" ? undefined : await calls.undoLast();
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
  const hold = await voidLast(order, left.success.externalTransactionId, calls);
  const { externalTransactionId } = voided;
  return hold.kind === "approved" ? { ...hold, externalTransactionId } : afterCall(hold);
}

/**
 * The end of a void that was refused while the record goes on showing its target. With which code the bank refuses after
 * the day's end is not documented, so that any may mean it, but those of a fault in the request. The record may be behind a
 * void that was carried out all the same: a code of no list is believed when the day is over, or when the void is repeated.
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
  if (NOTHING_LEFT.has(resultCode)) return PENDING;
  const isLate = calls.isDayOver || order.isRepeated === true;
  if (isOfNoList(resultCode) && !isLate) return PENDING;
  // The money is not taken: the hold alone is left.
  if (isCaptureVoided) return { ...approvedBy(success, order), holdStands: true };
  const isSettled = isLate && success.state === "taken" && !isOfRequest(resultCode);
  return isSettled ? { kind: "settled", resultCode, resultMessage } : refusal;
}

function hasVoidedCapture(record: OrderRecord): boolean {
  const movements = record.kind === "found" ? record.movements : [];
  return movements.some(({ kind, state }) => kind === "capture" && state === "voided");
}

/** Nothing is known of a void from a record that shows neither its target nor its end. */
function undecided(standing: Standing): VoidOutcome {
  return standing.kind === "unknown" || standing.kind === "not_sent" ? standing : PENDING;
}

/** A call of the same void has left before: whatever was not sent after it leaves the void open. */
function afterCall(outcome: VoidOutcome): VoidOutcome {
  return outcome.kind === "unknown" ? outcome : PENDING;
}
