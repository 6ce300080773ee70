import type { Bank } from "./bank.ts";
import { voidedKind, type BankLine } from "./bank-line.ts";
import type { Row } from "./book.ts";
import { halfOf } from "./money.ts";
import type { Case } from "./rules.ts";
import { duplicateOf, duplicateOfCard, type Unkindness } from "./unkindness.ts";

/** A call about money at a bank that knows payments by their order. */
export type OrderCase<Entry> = Case<Entry> & { request: { operation: BankLine["operation"] } };

type Office<Entry extends BankLine> = { bank: Bank<Entry>; modes: Unkindness };

/** A protocol's own part of a judgement: its rules of life and the issuer, and its line of the outcome. */
type Judge<Entry, Judged> = {
  judgedAt: (nowMs: number) => Judged;
  lineOf: (judged: Judged, sequence: number) => Entry;
};

/**
 * Judges a call by the bank's records, and resolves with its line when the line is on the disk. A copy within
 * the bank's duplicate window gets the first one's line under its own order, whatever its own judgement would
 * be.
 */
export function judgeCall<Entry extends BankLine, Judged extends { of: OrderCase<Entry>; verdict: unknown }>(
  { bank, modes }: Office<Entry>,
  behaviour: string,
  { judgedAt, lineOf }: Judge<Entry, Judged>,
): Promise<{ line: Entry; judged: Judged; isCopy: boolean }> {
  return bank.judge<{ line: Entry; judged: Judged; isCopy: boolean }>((nowMs) => {
    const judged = judgedAt(nowMs);
    const { of, verdict } = judged;
    const line = lineOf(judged, bank.book.sequence + 1);
    const asked = { ...of, operation: of.request.operation };
    const copied = duplicateOf(of.order, asked, modes) ?? duplicateOfCard(bank.book, line, asked, modes);
    if (copied) return { outcome: { line: { ...copied, orderId: line.orderId }, judged, isCopy: true } };
    const isTwice = behaviour === "twice" && verdict === undefined;
    const again = isTwice
      ? { ...lineOf(judged, bank.book.sequence + 2), uncalled: "again" as const }
      : undefined;
    return { line, again, outcome: { line, judged, isCopy: false } };
  });
}

/** The part of a call's line that follows from the records and the fault. @param id the movement's name */
export function movementLine<Entry>(
  of: Pick<OrderCase<Entry>, "row" | "amountMinor" | "nowMs" | "request">,
  {
    id,
    isApproved,
    behaviour,
    returnsHold,
  }: {
    id: string;
    isApproved: boolean;
    behaviour: string;
    /** True if a voided capture leaves its hold open. */
    returnsHold: boolean;
  },
) {
  const { row, nowMs, request } = of;
  const { operation } = request;
  const isVoid = operation === "void";
  const voided = isVoid && isApproved ? row : undefined;
  const kind = voided ? voidedKind(voided) : null;
  const askedMinor = isVoid ? standingMinor(row) : of.amountMinor;
  const amountMinor = isApproved && behaviour === "partial" ? halfOf(askedMinor) : askedMinor;
  return {
    at: new Date(nowMs).toISOString(),
    operation,
    transactionId: voided ? (voided.captureId ?? voided.id) : id,
    relatedTransactionId: operation === "capture" || isVoid ? (row?.id ?? null) : null,
    amountMinor: Number(amountMinor),
    requestedMinor: amountMinor === askedMinor ? undefined : Number(askedMinor),
    shownExtraMinor: isApproved && behaviour === "wrong_amount" ? 1 : undefined,
    outcome: isApproved ? "approved" : "declined",
    voided: kind,
    holdReturned: kind === "capture" && returnsHold,
  } as const;
}

/** Once a hold is captured its own amount is gone. */
export function standingMinor(row: Row<unknown> | undefined): bigint {
  return row ? row.capturedMinor || row.amountMinor : 0n;
}
