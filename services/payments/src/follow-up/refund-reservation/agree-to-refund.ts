/**
 * The people who agreed to refunds, as this service itself has verified. Each consent comes from the
 * operators' listener with the person's token, which `serve` has verified. Without enough of them no refund
 * is sent to a bank, whatever `refunds` says (docs/adr/0062).
 */
import { appendAudit } from "@holdfast/audit";
import {
  formatAmount,
  isSamePerson,
  type AgreeToRefund,
  type AmountsByCurrency,
  type CommandReply,
  type OperatorContext,
} from "@holdfast/contracts";
import { orNotStarted } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { approvalsRequired } from "./approvals-required.ts";
import type { RefundReservationTable } from "./reservation-table.ts";

export type AgreeDeps = {
  db: Kysely<PaymentsDatabase>;
  /** The amounts, by currency, above which a payment's refunds need two people. */
  twoAbove: AmountsByCurrency;
};

/** A reservation beside the facts of its payment. */
type Reserved = Pick<
  Selectable<RefundReservationTable>,
  "refund_id" | "amount_minor" | "kind" | "agreed_by"
> &
  Pick<PaymentRow, "payment_id" | "merchant_id" | "currency" | "currency_exponent">;
type Agreed = CommandReply<{ approvalsRequired: 1 | 2 }>;

/**
 * Notes that a person agrees. A copy changes nothing. A person who has asked leaves no trace: `refunds` refuses
 * them, with its own line in the audit log. A refund that is settled here already is passed on, since a restored
 * database of `refunds` may not know it.
 */
export async function agreeToRefund(
  { db, twoAbove }: AgreeDeps,
  { operator, requestId }: OperatorContext,
  { refundId, seen, withdrawn }: AgreeToRefund,
): Promise<Agreed> {
  return await orNotStarted(() =>
    db.transaction().execute(async (trx): Promise<Agreed> => {
      const reserved = await lockReserved(trx, refundId);
      // Nobody can decide about an amount that is lost, as after a restore: the refund waits, and can be
      // rejected.
      if (!reserved) return { outcome: "problem", code: "refund_not_found" };
      if (reserved.state === "RELEASED" || reserved.state === "REFUSED")
        return { outcome: "problem", code: "refund_already_decided" };
      const required = approvalsRequired(reserved, twoAbove);
      const done = { outcome: "done", result: { approvalsRequired: required } } as const;
      const { person } = operator;
      if (reserved.state !== "ACTIVE" || reserved.asked_by.some((asked) => isSamePerson(asked, person)))
        return done;
      if (withdrawn) {
        if (await withdraw(trx, reserved, { person, required }))
          await audit(trx, operator.name, "refund.agreement_withdrawn", reserved, { requestId });
        return done;
      }
      if (seen && !isSame(seen, reserved)) {
        const detail = { requestId, code: "refund_differs", seen };
        await audit(trx, operator.name, "refund.agreement_refused", reserved, detail);
        return { outcome: "problem", code: "refund_differs" };
      }
      const isNew = !reserved.agreed_by.includes(person);
      const agreed = [...reserved.agreed_by, ...(isNew ? [person] : [])];
      // A decision is final: a later refund of the same payment requires no further people for it.
      const isDecided = reserved.agreed_at !== null || agreed.length >= required;
      if (isNew) await audit(trx, operator.name, "refund.agreed", reserved, { requestId });
      await trx
        .updateTable("refund_reservation")
        .set({ agreed_by: agreed, ...(isDecided && { agreed_at: sql<Date>`coalesce(agreed_at, now())` }) })
        .where("refund_id", "=", refundId)
        .execute();
      return done;
    }),
  );
}

/** @returns whether there was a consent, and nothing was sent by it. */
async function withdraw(
  trx: Transaction<PaymentsDatabase>,
  { refund_id, payment_id, agreed_by }: Reserved,
  { person, required }: { person: string; required: number },
): Promise<boolean> {
  const isSent = (await findCalls(trx, payment_id)).some(({ movement_id }) => movement_id === refund_id);
  if (isSent || !agreed_by.includes(person)) return false;
  const others = agreed_by.filter((each) => each !== person);
  await trx
    .updateTable("refund_reservation")
    .set({ agreed_by: others, ...(others.length < required && { agreed_at: null }) })
    .where("refund_id", "=", refund_id)
    .execute();
  return true;
}

/** Locks the reservation alone: of the payment's other refunds the later one counts the earlier ones, locked or not. */
async function lockReserved(trx: Transaction<PaymentsDatabase>, refundId: string) {
  return await trx
    .selectFrom("refund_reservation as reservation")
    .innerJoin("payment", "payment.payment_id", "reservation.payment_id")
    .selectAll("reservation")
    .select(["payment.merchant_id", "currency", "currency_exponent"])
    .select(["reserved_minor", "refunded_minor", "released_minor"])
    .where("refund_id", "=", refundId)
    .forUpdate("reservation")
    .executeTakeFirst();
}

function isSame(
  { amountMinor, currency }: NonNullable<AgreeToRefund["seen"]>,
  reserved: Pick<Reserved, "amount_minor" | "currency">,
): boolean {
  return BigInt(amountMinor) === reserved.amount_minor && currency === reserved.currency;
}

/**
 * Writes the audit line of a refund that is sent to the bank for the first time, with the people who have
 * agreed, in the transaction that commits the call.
 */
export async function auditSending(trx: Transaction<PaymentsDatabase>, reserved: Reserved): Promise<void> {
  await audit(trx, ASKING_SERVICE, "refund.sent_to_bank", reserved, { agreedBy: reserved.agreed_by });
}

/**
 * Writes the line of a refund that is not sent, once an hour: whoever repeats the command does not fill the log.
 * @returns true if it wrote the line.
 */
export async function auditRefusal(trx: Transaction<PaymentsDatabase>, reserved: Reserved): Promise<boolean> {
  const noted = await trx
    .updateTable("refund_reservation")
    .set({ refused_at: sql<Date>`now()` })
    .where("refund_id", "=", reserved.refund_id)
    .where(sql<boolean>`coalesce(refused_at < now() - interval '1 hour', true)`)
    .returning("refund_id")
    .executeTakeFirst();
  if (!noted) return false;
  const detail = { code: "refund_not_agreed", agreedBy: reserved.agreed_by };
  await audit(trx, ASKING_SERVICE, "refund.sending_refused", reserved, detail);
  return true;
}

/** The actor of what no person has asked this service for. */
const ASKING_SERVICE = "refunds";

async function audit(
  trx: Transaction<PaymentsDatabase>,
  actor: string,
  action: string,
  { refund_id, merchant_id, payment_id, kind, ...reserved }: Reserved,
  detail: Record<string, unknown>,
): Promise<void> {
  const { amount_minor, currency, currency_exponent } = reserved;
  const amount = formatAmount(amount_minor, currency_exponent);
  const facts = { merchantId: merchant_id, paymentId: payment_id, amount, currency, kind };
  await appendAudit(trx, { actor, action, subject: refund_id, detail: { ...facts, ...detail } });
}
