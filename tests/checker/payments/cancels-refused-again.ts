import type { BankCallRow } from "../ledgers.ts";

/**
 * Payments whose cancellation a bank has refused a second time, after a refusal of which nobody knew what it
 * meant: by a code of no list, which a bank does not write down.
 */
export function cancelsRefusedAgain(calls: readonly BankCallRow[]): ReadonlySet<string> {
  const voids = Map.groupBy(
    calls.filter(({ kind }) => kind === "void"),
    ({ paymentId }) => paymentId,
  );
  return new Set(
    [...voids]
      .filter(([, [first, ...more]]) => first?.outcome === "unknown" && more.at(-1)?.outcome === "declined")
      .map(([paymentId]) => paymentId),
  );
}
