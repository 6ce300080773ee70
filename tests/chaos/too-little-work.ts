import type { Ledgers, Violation } from "../checker/index.ts";
import type { InflictedFault } from "./faults.ts";

/** A run that passed because nothing happened proves nothing. */
export function tooLittleWork(
  { payments, checkouts, refunds, received }: Ledgers,
  planned: {
    payments: number;
    checkouts: number;
    faults: InflictedFault[];
    disputes: number;
    staffRefunds: number;
  },
): Violation[] {
  const paid = checkouts.filter(({ state }) => state === "COMPLETED").length;
  const refunded = refunds.filter(({ state }) => state === "SUCCESS").length;
  const refused = received.filter(({ answered }) => answered !== 200).length;
  return [
    ...(payments.length < planned.payments / 3
      ? [`only ${payments.length} of ${planned.payments} payments were made`]
      : []),
    ...(paid < planned.checkouts / 25 ? [`only ${paid} of ${planned.checkouts} checkouts were paid`] : []),
    ...(refunded < planned.payments / 50 ? [`only ${refunded} refunds were paid`] : []),
    ...(planned.disputes === 0 ? ["there was no chargeback"] : []),
    ...(planned.staffRefunds === 0 ? ["merchants' staff got no refund"] : []),
    ...(refused === 0 ? ["no receiver refused a webhook"] : []),
    ...(planned.faults.length === 0 ? ["no fault was injected"] : []),
  ].map((what) => ({ invariant: 0, ids: [], what }));
}
