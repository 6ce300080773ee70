import { checkoutOf, isAfter, recordOf, type AnsweredRecord } from "../answers.ts";
import type { Found, HistoryEntry, Ledgers, PaymentHistoryRow, PaymentRow } from "../ledgers.ts";
import { isReachable, mayFollow } from "./payment-states.ts";

/**
 * Invariant 8. A payment's history is one chain from its creation to its state, with each step in the table.
 * FAILED, REJECTED and CANCELLED are final, and only operators turn a payment that is being reversed into a
 * SUCCESS. No client reads a status and later one that the table does not reach from it.
 */
export function statesFollowTheTable({ payments, paymentHistory, history }: Ledgers): Found[] {
  const steps = Map.groupBy(paymentHistory, ({ paymentId }) => paymentId);
  const seen = Map.groupBy(
    // A replay shows the payment as it was when it was first answered.
    history.filter((entry) => shownBy(entry) && !entry.replayed),
    (entry) => shownBy(entry)?.paymentId ?? "",
  );
  return [
    ...payments.flatMap((payment) => brokenChain(payment, steps.get(payment.paymentId) ?? [])),
    ...[...seen].flatMap(([paymentId, entries]) => steppedBack(paymentId, entries)),
  ];
}

function brokenChain({ paymentId, state, version }: PaymentRow, steps: PaymentHistoryRow[]): Found[] {
  const ordered = steps.toSorted((a, b) => a.version - b.version);
  const faults = ordered.flatMap((step, index) => {
    const from = ordered[index - 1]?.to ?? null;
    if (step.version !== index + 1 || step.from !== from)
      return [`${describe(step)} does not follow ${from}`];
    return mayFollow(step.from, step.to, step.cause) ? [] : [`${describe(step)} is not in the table`];
  });
  const last = ordered.at(-1);
  if (last?.to !== state || last.version !== version) faults.push(`is ${state}, its history ends otherwise`);
  return faults.map((what) => ({ ids: [paymentId], what }));
}

function describe({ version, from, to, cause }: PaymentHistoryRow): string {
  return `step ${version} from ${from} to ${to} (${cause})`;
}

/** The payment itself, or the one that a checkout shows. */
function shownBy(entry: HistoryEntry): AnsweredRecord | undefined {
  return recordOf(entry) ?? checkoutOf(entry)?.payment;
}

function steppedBack(paymentId: string, entries: HistoryEntry[]): Found[] {
  return entries.flatMap((later) =>
    entries.flatMap((earlier) => {
      const before = shownBy(earlier)?.status ?? "";
      const after = shownBy(later)?.status ?? "";
      if (!isAfter(earlier, later) || isReachable(before, after)) return [];
      return [{ ids: [paymentId], what: `was read as ${before} and later as ${after}` }];
    }),
  );
}
