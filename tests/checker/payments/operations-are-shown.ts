import { minorUnits } from "../amount.ts";
import { fieldsOf, readsByPayment } from "../answers.ts";
import { linesByPayment, movementOf } from "../bank-lines.ts";
import type { BankLine, Found, HistoryEntry, Ledgers, PaymentRow } from "../ledgers.ts";
import { cancelsRefusedAgain } from "./cancels-refused-again.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 36. A merchant that reads its payment once everything is idle finds the end of the latest
 * capture, cancellation or expiry in `lastOperation`: done or declined, with the bank's amount and code. A
 * cancellation after the bank's day may be declined by the bank's record of the payment, without a call, or by
 * a second refusal that the bank does not write down.
 */
export function operationsAreShown({ history, payments, bank, bankCalls }: Ledgers): Found[] {
  const reads = readsByPayment(history);
  const refusedAgain = cancelsRefusedAgain(bankCalls);
  const lines = linesByPayment(bank);
  return payments.flatMap((payment) => {
    const last = lastRead(payment, reads.get(payment.paymentId) ?? []);
    if (!last || isUnsettled(payment)) return [];
    const shown = shownBy(last, payment);
    const expected = expectedBy(lines.get(payment.paymentId) ?? [], shown?.type);
    if (describe(shown) === describe(expected)) return [];
    if (!expected && isDeclinedCancel(shown)) {
      if (shown.resultCode === "SETTLED" || refusedAgain.has(payment.paymentId)) return [];
    }
    return [
      { ids: [payment.paymentId], what: `shows ${describe(shown)}, and the bank has ${describe(expected)}` },
    ];
  });
}

function isDeclinedCancel(shown: Operation | undefined): shown is Operation {
  return shown?.type !== "CAPTURE" && shown?.status === "DECLINED";
}

function lastRead({ merchantId }: PaymentRow, reads: HistoryEntry[]): HistoryEntry | undefined {
  return reads
    .filter((read) => read.status === 200 && read.merchantId === merchantId)
    .reduce<HistoryEntry | undefined>(
      (latest, read) => (latest && latest.sentAt > read.sentAt ? latest : read),
      undefined,
    );
}

type Operation = {
  type: string;
  status: string;
  amountMinor: bigint | undefined;
  resultCode: string | undefined;
};

function shownBy({ body = "" }: HistoryEntry, { currency }: PaymentRow): Operation | undefined {
  const shown = fieldsOf(body)["lastOperation"];
  if (typeof shown !== "object" || shown === null) return undefined;
  const { type, status, amount, resultCode, at } = shown as Record<string, string | undefined>;
  const isDated = at !== undefined && !Number.isNaN(Date.parse(at));
  return {
    type: `${type}`,
    status: isDated ? `${status}` : `${status} at an unknown time`,
    amountMinor: minorUnits(amount ?? "", currency),
    resultCode,
  };
}

/**
 * The operation that a payment should show. The bank does not know whether a cancellation was a merchant's or
 * an expiry's.
 */
function expectedBy(lines: BankLine[], shownType: string | undefined): Operation | undefined {
  const last = lines.findLast(({ operation }) => operation === "capture" || operation === "cancel");
  if (!last) return undefined;
  const tries = lines.filter(
    (line) => line.operation === last.operation && movementOf(line) === movementOf(last),
  );
  const { outcome, amountMinor, resultCode } = tries.find((line) => line.outcome === "approved") ?? last;
  return {
    type: last.operation === "capture" ? "CAPTURE" : shownType === "EXPIRY" ? "EXPIRY" : "CANCEL",
    status: outcome === "approved" ? "DONE" : "DECLINED",
    amountMinor,
    resultCode,
  };
}

function describe(operation: Operation | undefined): string {
  if (!operation) return "no operation";
  const { type, status, amountMinor, resultCode } = operation;
  return `${type} ${status} ${amountMinor} ${resultCode}`;
}
