import type { PaymentLinkPage } from "@holdfast/contracts";
import { sql, type Kysely, type RawBuilder, type Selectable, type Transaction } from "kysely";
import { FAILED_STATES } from "./checkout.ts";
import type { PaymentLinkTable } from "./checkout-tables.ts";
import type { PaymentsDatabase } from "../../database.ts";

/** Every statement on payment links. */

export type PaymentLinkRow = Selectable<PaymentLinkTable>;

/** A link, with its expiry's state and the outcome of the payment that has it. */
export type FoundLink = PaymentLinkRow & { is_expired: boolean; taking: "NONE" | "UNDER_WAY" | "PAID" };

/** The state of the payment that holds a link for one. A payment that has ever succeeded used the link up. */
const TAKING = sql<FoundLink["taking"]>`coalesce((
  select case
    when state in ('SUCCESS', 'CAPTURED') or exists (
      select from payment_history where payment_history.payment_id = payment.payment_id and to_state = 'SUCCESS')
      then 'PAID'
    when state in (${sql.join(FAILED_STATES)}) then 'NONE'
    else 'UNDER_WAY' end
  from payment where payment.payment_id = payment_link.taken_by), 'NONE')`;

export const LINK_COLUMNS: RawBuilder<unknown> = sql`payment_link.*, expires_at <= clock_timestamp() as is_expired,
  ${TAKING} as taking`;

/** @param merchantId the link's required merchant; another merchant's link counts as unknown. */
export async function findPaymentLink(
  db: Kysely<PaymentsDatabase>,
  paymentLinkId: string,
  merchantId?: string,
): Promise<FoundLink | undefined> {
  const { rows } = await sql<FoundLink>`
    select ${LINK_COLUMNS} from payment_link
    where payment_link_id = ${paymentLinkId}
      and ${merchantId === undefined ? sql`true` : sql`merchant_id = ${merchantId}`}`.execute(db);
  return rows[0];
}

/** Disables the link, unless it is disabled already. */
export async function updateDisabled(
  trx: Transaction<PaymentsDatabase>,
  paymentLinkId: string,
  merchantId: string,
): Promise<void> {
  await trx
    .updateTable("payment_link")
    .set({ disabled_at: sql<Date>`now()` })
    .where("payment_link_id", "=", paymentLinkId)
    .where("merchant_id", "=", merchantId)
    .where("disabled_at", "is", null)
    .execute();
}

/**
 * Updates a link for a payment that is claimed in this transaction. The row is locked first. The following
 * statements then see everything that the lock's previous owner has committed. Of two payments of a one-time
 * link the second changes no row, and a burst is counted card by card.
 *
 * @returns false if the link has ended, another payment has it, or too many cards were tried on it.
 */
export async function takePaymentLink(
  trx: Transaction<PaymentsDatabase>,
  { paymentLinkId, paymentId }: { paymentLinkId: string; paymentId: string },
  attemptsMax: number,
): Promise<boolean> {
  const { rows } = await sql<{ disabled_at: Date | null; single_use: boolean }>`
    select disabled_at, single_use from payment_link where payment_link_id = ${paymentLinkId} for update`.execute(
    trx,
  );
  const [link] = rows;
  if (link?.disabled_at !== null || (await isTriedOut(trx, paymentLinkId, attemptsMax))) return false;
  if (!link.single_use) return true;
  const { numAffectedRows = 0n } = await sql`
    update payment_link set taken_by = ${paymentId}
    where payment_link_id = ${paymentLinkId} and disabled_at is null and ${TAKING} = 'NONE'`.execute(trx);
  return numAffectedRows === 1n;
}

/**
 * True if the allowed number of cards was tried on a link within the last hour without a charge. A popular
 * link has many payments under way, so only those count that exceed the number of charged payments plus the
 * allowed number. A checkout's attempts count until an hour after its expiry, since the time of each attempt
 * is not known.
 */
export async function isTriedOut(
  db: Kysely<PaymentsDatabase>,
  paymentLinkId: string,
  attemptsMax: number,
): Promise<boolean> {
  const { rows } = await sql<{ declined: number; underWay: number; charged: number }>`
    select coalesce(sum(checkout.attempts - case when is_failed then 0 else 1 end), 0)::int as declined,
      (count(*) filter (where not is_failed and not is_charged))::int as "underWay",
      (count(*) filter (where is_charged))::int as charged
    from checkout join payment using (payment_id),
      lateral (select payment.state in (${sql.join(FAILED_STATES)}) as is_failed,
        payment.state in ('SUCCESS', 'CAPTURED') as is_charged) as judged
    where checkout.payment_link_id = ${paymentLinkId} and checkout.expires_at > now() - interval '1 hour'`.execute(
    db,
  );
  const { declined, underWay, charged } = rows[0]!;
  return declined + Math.max(0, underWay - charged - attemptsMax) >= attemptsMax;
}

/** The status of the link for a buyer who wants to pay now. */
export function linkStatus(link: FoundLink): PaymentLinkPage["status"] {
  if (link.taking === "PAID") return "USED";
  if (link.disabled_at !== null) return "DISABLED";
  if (link.taking === "UNDER_WAY") return "TAKEN";
  return link.is_expired ? "EXPIRED" : "ACTIVE";
}
