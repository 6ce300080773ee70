import { withClient } from "@holdfast/sandbox/infrastructure";
import type { System } from "./system/system.ts";

/** The work that a run has done so far. */
export type Work = {
  payments: number;
  paidCheckouts: number;
  paidRefunds: number;
  chargebacks: number;
  staffRefunds: number;
  refusedWebhooks: number;
};

/** Lists the kinds of work that a run still lacks: a run in which nothing happened proves nothing. */
export function tooLittleWork(
  work: Work,
  { payments, checkouts }: { payments: number; checkouts: number },
): string[] {
  const { paidCheckouts, paidRefunds, chargebacks, staffRefunds, refusedWebhooks } = work;
  return [
    ...(work.payments < payments / 3 ? [`only ${work.payments} of ${payments} payments were made`] : []),
    ...(paidCheckouts < checkouts / 25 ? [`only ${paidCheckouts} of ${checkouts} checkouts were paid`] : []),
    ...(paidRefunds < payments / 50 ? [`only ${paidRefunds} refunds were paid`] : []),
    ...(chargebacks === 0 ? ["there was no chargeback"] : []),
    ...(staffRefunds === 0 ? ["merchants' staff got no refund"] : []),
    ...(refusedWebhooks === 0 ? ["no receiver refused a webhook"] : []),
  ];
}

/** @param staffRefunds the number of refunds that merchants' staff know. */
export async function readWork(
  { superuserUrl, shops }: Pick<System, "superuserUrl" | "shops">,
  staffRefunds: number,
): Promise<Work> {
  const counted = await withClient(superuserUrl, (client) => client.query<Counted>(COUNT));
  const refusedWebhooks = shops
    .flatMap(({ receiver }) => receiver.ledger)
    .filter(({ answered }) => answered !== 200).length;
  return { ...(counted.rows[0] as Counted), staffRefunds, refusedWebhooks };
}

type Counted = Omit<Work, "staffRefunds" | "refusedWebhooks">;

const COUNT = `
  select
    (select count(*)::int from payments.payment) as payments,
    (select count(*)::int from payments.checkout where state = 'COMPLETED') as "paidCheckouts",
    (select count(*)::int from refunds.refund where state = 'SUCCESS') as "paidRefunds",
    (select count(*)::int from payments.chargeback) as chargebacks`;
