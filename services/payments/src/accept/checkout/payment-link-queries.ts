import type { PaymentLinkPage } from "@holdfast/contracts";
import { sql, type Kysely, type RawBuilder, type Selectable, type Transaction } from "kysely";
import { FAILED_STATES } from "./checkout.ts";
import type { PaymentLinkTable } from "./checkout-tables.ts";
import type { PaymentsDatabase } from "../../database.ts";

/** Every statement on payment links. */

export type PaymentLinkRow = Selectable<PaymentLinkTable>;

/** A link, with whether its time is over and what became of the payment that has it. */
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

/** @param merchantId whose it has to be; another merchant's is as unknown as one that does not exist. */
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

/** Ends it, where it has not ended so before. */
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
 * Takes a link for a payment that is claimed in this transaction. The row is locked first: the update, a statement of its
 * own, then sees everything that the lock's previous owner has committed, and of two payments of a link for one the second
 * changes no row. Payments of a link for many do not wait for each other, only for its end.
 *
 * @returns false when the link has ended, or another payment has it.
 */
export async function takePaymentLink(
  trx: Transaction<PaymentsDatabase>,
  paymentLinkId: string,
  paymentId: string,
): Promise<boolean> {
  // The link's `single_use` never changes, so that it may be read before the lock.
  const uses = await sql<{ single_use: boolean }>`
    select single_use from payment_link where payment_link_id = ${paymentLinkId}`.execute(trx);
  const [link] = uses.rows;
  if (!link) return false;
  const lock = link.single_use ? sql`for update` : sql`for share`;
  const { rows } = await sql<{ disabled_at: Date | null }>`
    select disabled_at from payment_link where payment_link_id = ${paymentLinkId} ${lock}`.execute(trx);
  if (rows[0]?.disabled_at !== null) return false;
  if (!link.single_use) return true;
  const { numAffectedRows = 0n } = await sql`
    update payment_link set taken_by = ${paymentId}
    where payment_link_id = ${paymentLinkId} and disabled_at is null and ${TAKING} = 'NONE'`.execute(trx);
  return numAffectedRows === 1n;
}

/**
 * Tells whether as many cards as are allowed were tried on a link within the last hour, and not charged. Payments under
 * way do not count: a popular link has many. A checkout's attempts count until an hour after its time, since nothing says
 * when each of them was made.
 */
export async function isTriedOut(
  db: Kysely<PaymentsDatabase>,
  paymentLinkId: string,
  attemptsMax: number,
): Promise<boolean> {
  const { rows } = await sql<{ tried: number }>`
    select coalesce(sum(checkout.attempts - case when payment.state in (${sql.join(FAILED_STATES)}) then 0 else 1 end), 0)::int
      as tried
    from checkout join payment using (payment_id)
    where checkout.payment_link_id = ${paymentLinkId} and checkout.expires_at > now() - interval '1 hour'`.execute(
    db,
  );
  return rows[0]!.tried >= attemptsMax;
}

/** The status of the link for a buyer who wants to pay now. */
export function linkStatus(link: FoundLink): PaymentLinkPage["status"] {
  if (link.taking === "PAID") return "USED";
  if (link.disabled_at !== null) return "DISABLED";
  if (link.taking === "UNDER_WAY") return "TAKEN";
  return link.is_expired ? "EXPIRED" : "ACTIVE";
}
