import {
  approvedOf,
  isDeclined,
  isReversalRefund,
  isTooLate,
  linesByPayment,
  movementOf,
  requestedMinor,
} from "../bank-lines.ts";
import { minorUnits } from "../amount.ts";
import type { BankLine, Found, HistoryEntry, Ledgers, PaymentRow } from "../ledgers.ts";
import { cancelsRefusedAgain } from "./cancels-refused-again.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 35. A capture or a cancellation that was answered 200 or 202 is carried out at the bank, exactly
 * once, unless the bank itself has declined it; a partial one is booked with the bank's amount (6). "Too
 * late" is no decline: an operation that the bank called too late is repeated under a further reference. A
 * cancellation that the bank refuses again has ended, though the bank has no line of it. A refund of a settled
 * sale in place of its reversal is paid once.
 */
export function operationsAreCarriedOut({ history, payments, bank, bankCalls }: Ledgers): Found[] {
  const lines = linesByPayment(bank);
  const refusedAgain = cancelsRefusedAgain(bankCalls);
  const settled = new Map(
    payments.filter((payment) => !isUnsettled(payment)).map((payment) => [payment.paymentId, payment]),
  );
  return [
    ...[...lines].flatMap(([paymentId, ofPayment]) =>
      doubtsAbout(ofPayment, { isSettled: settled.has(paymentId) }).map((what) => ({
        ids: [paymentId],
        what,
      })),
    ),
    ...history.flatMap((entry) => {
      const payment = settled.get(entry.operation?.paymentId ?? "");
      if (!payment || (entry.operation?.kind === "cancel" && refusedAgain.has(payment.paymentId))) return [];
      return brokenPromise(entry, payment, lines.get(payment.paymentId) ?? []);
    }),
  ];
}

function doubtsAbout(lines: BankLine[], { isSettled }: { isSettled: boolean }): string[] {
  const movements = Map.groupBy(
    lines.filter((line) => line.operation in OPERATIONS || isReversalRefund(line)),
    movementOf,
  );
  return [...movements].flatMap(([reference, tries]) => {
    const done = tries.filter(({ outcome }) => outcome === "approved").length;
    return [
      ...(done > 1 ? [`${reference} was carried out ${done} times`] : []),
      ...(isSettled && tries.every(isTooLate)
        ? [`${reference} was too late, and was not asked for again`]
        : []),
    ];
  });
}

/** The bank's names of our operations. */
const OPERATIONS = { capture: "capture", cancel: "cancel" } as const;

function brokenPromise(
  { operation, status }: HistoryEntry,
  { paymentId, currency }: PaymentRow,
  lines: BankLine[],
): Found[] {
  if (!operation || (status !== 200 && status !== 202)) return [];
  const asked = operation.amount === undefined ? undefined : minorUnits(operation.amount, currency);
  const isOfIt = (line: BankLine) => asked === undefined || requestedMinor(line) === asked;
  const name = OPERATIONS[operation.kind];
  const isDone = approvedOf(name, lines).some(isOfIt);
  const isRefused = lines.some((line) => line.operation === name && isDeclined(line) && isOfIt(line));
  if (isDone || (status === 202 && isRefused)) return [];
  const what = `a ${operation.kind} was answered ${status}, and the bank has neither carried it out nor declined it`;
  return [{ ids: [paymentId], what }];
}
