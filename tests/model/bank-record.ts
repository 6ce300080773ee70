import type { BankMovement, InquiryOutcome, MovementKind } from "@holdfast/acquirer";
import type { OrderRecord, RecordRow } from "@holdfast/acquirer/kit";
import type { Kind, Movement } from "./world.ts";

/** A movement as the bank shows it, with a time that no rule of ours may use. */
export type ToldMovement = BankMovement & { at: Date };

/** True if an inquiry gives our reference of such a movement back. */
export function givesBack({ namesReferences, namesCaptures }: Kind, kind: MovementKind): boolean {
  return namesReferences && (namesCaptures || kind !== "capture");
}

/** All answers to an inquiry about the order. We send at 0 o'clock by our own clock. */
export function tellAll(book: readonly Movement[], account: number, bank: Kind): InquiryOutcome {
  const movements = book
    .filter((movement) => movement.account === account)
    .map(({ kind, state, ref, id, amount }): ToldMovement => ({
      at: new Date(bank.clockSeconds * 1_000),
      kind,
      state,
      ...(givesBack(bank, kind) && { ownReference: ref }),
      ...(id !== "" && { externalTransactionId: id }),
      amountMinor: BigInt(amount),
      currency: "TRY",
      resultCode: "00",
      resultMessage: "",
    }));
  return movements.length === 0 ? { kind: "not_found" } : { kind: "found", movements };
}

/** The order as the kit of banks without references reads it, which believes an approval by its record. */
export function recordOf(book: readonly Movement[], account: number): OrderRecord {
  const movements = book.filter((movement) => movement.account === account).flatMap(rowOf);
  return movements.length === 0 ? { kind: "not_found" } : { kind: "found", movements };
}

/**
 * Such a bank binds nothing, calls nothing late, releases no part, and shows a void as the state of the
 * voided movement.
 */
function rowOf({ kind, state, id, amount }: Movement): RecordRow[] {
  if (kind === "void" || kind === "release" || state === "bound" || state === "expired") return [];
  // As at Akbank, no field says that the day is over.
  return [
    {
      kind,
      state,
      ...(id !== "" && { externalTransactionId: id }),
      amountMinor: BigInt(amount),
      currency: "TRY",
      resultCode: "00",
      resultMessage: "",
      isSettled: false,
    },
  ];
}
