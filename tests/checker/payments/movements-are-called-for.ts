import { isPayment, linesByPayment } from "../bank-lines.ts";
import type { BankCallRow, BankLine, Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 42. Every movement at a bank was sent by a call that `payments` keeps, each call moves money once at most,
 * and every approval that it keeps is in the bank's ledger under the same name.
 */
export function movementsAreCalledFor({ bank, bankCalls }: Ledgers): Found[] {
  const lines = linesByPayment(bank.filter(({ outcome }) => outcome === "approved"));
  const calls = Map.groupBy(bankCalls, ({ paymentId }) => paymentId);
  return [
    ...[...lines].flatMap(([paymentId, moved]) =>
      uncalled(
        moved.filter((line) => line.uncalled === undefined),
        calls.get(paymentId) ?? [],
      ).map((what) => ({ ids: [paymentId], what })),
    ),
    ...bankCalls.filter(isApproval).flatMap((call) => {
      const isThere = lines.get(call.paymentId)?.some((line) => namesOf(line).includes(call.name ?? ""));
      const what = `call ${call.number} (${call.kind}) was approved as ${call.name}, which the bank does not have`;
      return isThere ? [] : [{ ids: [call.paymentId], what }];
    }),
  ];
}

function uncalled(moved: readonly BankLine[], calls: readonly BankCallRow[]): string[] {
  return [...Map.groupBy(moved, ({ operation }) => groupOf(operation))].flatMap(([group, ofGroup]) => {
    const sent = calls.filter(({ kind }) => groupOf(kind) === group).length;
    return ofGroup.length > sent
      ? [`${ofGroup.length} movements (${group}) at the bank, and ${sent} calls`]
      : [];
  });
}

/**
 * Banks pay back in ways of their own: a refund may be a void there. An enrolment may lead to the payment.
 */
function groupOf(operation: string): "payment" | "capture" | "undoing" {
  if (isPayment(operation) || operation === "enrol") return "payment";
  return operation === "capture" ? "capture" : "undoing";
}

const isApproval = ({ kind, outcome, name }: BankCallRow) =>
  outcome === "approved" && kind !== "enrol" && name !== null && name !== "";

const namesOf = ({ externalTransactionId, otherName }: BankLine) => [externalTransactionId, otherName];
