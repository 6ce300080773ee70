/**
 * The people who agree to refunds, as this service has heard it from them: each consent comes from the operators' listener
 * with the person's token, which `serve` has verified. Without enough of them no refund is sent to a bank, whatever `refunds`
 * says (docs/adr/0062).
 */
import { appendAudit } from "@holdfast/audit";
import {
  formatAmount,
  type AgreeToRefund,
  type AmountsByCurrency,
  type CommandReply,
  type OperatorContext,
} from "@holdfast/contracts";
import { orNotStarted } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { approvalsRequired } from "./approvals-required.ts";
import { lockWithPayment } from "./lock-reservation.ts";
import type { RefundReservationTable } from "./reservation-table.ts";

export type AgreeDeps = {
  db: Kysely<PaymentsDatabase>;
  /** The amounts, by currency, above which a payment's refunds need two people. */
  twoAbove: AmountsByCurrency;
};

type Reservation = Selectable<RefundReservationTable>;
type Agreed = CommandReply<{ approvalsRequired: 1 | 2 }>;

/**
 * Notes that a person agrees. A copy changes nothing. Who has asked, and a refund that nobody can pay any more, leave no trace:
 * `refunds` refuses them, with its own line in the audit log.
 */
export async function agreeToRefund(
  { db, twoAbove }: AgreeDeps,
  context: OperatorContext,
  { refundId, seen }: AgreeToRefund,
): Promise<Agreed> {
  return await orNotStarted(() =>
    db.transaction().execute(async (trx): Promise<Agreed> => {
      const { payment, reservation } = await lockWithPayment(trx, refundId);
      const required = payment ? approvalsRequired(payment, twoAbove) : 1;
      const done = { outcome: "done", result: { approvalsRequired: required } } as const;
      const { person } = context.operator;
      if (!payment || reservation?.state !== "ACTIVE" || reservation.asked_by.includes(person)) return done;
      if (seen && !isSame(seen, payment, reservation)) {
        const detail = { code: "refund_differs", seen };
        await auditAgreement(trx, context, "refund.agreement_refused", { payment, reservation, detail });
        return { outcome: "problem", code: "refund_differs" };
      }
      const isNew = !reservation.agreed_by.includes(person);
      const agreed = [...reservation.agreed_by, ...(isNew ? [person] : [])];
      // A decision stands: a later refund of the same payment does not ask for more people.
      const isDecided = reservation.agreed_at !== null || agreed.length >= required;
      if (isNew) await auditAgreement(trx, context, "refund.agreed", { payment, reservation, detail: {} });
      await trx
        .updateTable("refund_reservation")
        .set({ agreed_by: agreed, ...(isDecided && { agreed_at: sql<Date>`coalesce(agreed_at, now())` }) })
        .where("refund_id", "=", refundId)
        .execute();
      return done;
    }),
  );
}

function isSame(
  { amountMinor, currency }: NonNullable<AgreeToRefund["seen"]>,
  payment: PaymentRow,
  { amount_minor }: Reservation,
): boolean {
  return BigInt(amountMinor) === amount_minor && currency === payment.currency;
}

async function auditAgreement(
  trx: Transaction<PaymentsDatabase>,
  { operator, requestId }: OperatorContext,
  action: "refund.agreed" | "refund.agreement_refused",
  { payment, reservation, detail }: { payment: PaymentRow; reservation: Reservation; detail: object },
): Promise<void> {
  await appendAudit(trx, {
    actor: operator.name,
    action,
    subject: reservation.refund_id,
    detail: { ...factsOf(payment, reservation), requestId, ...detail },
  });
}

/**
 * Writes the line of a refund that is sent to the bank for the first time, with the people who have agreed, in the transaction
 * that commits the call.
 */
export async function auditSending(
  trx: Transaction<PaymentsDatabase>,
  payment: PaymentRow,
  reservation: Reservation,
): Promise<void> {
  await appendAudit(trx, {
    actor: ASKING_SERVICE,
    action: "refund.sent_to_bank",
    subject: reservation.refund_id,
    detail: { ...factsOf(payment, reservation), agreedBy: reservation.agreed_by },
  });
}

/** Writes the line of a refund that is not sent, once an hour: whoever repeats the command does not fill the log. */
export async function auditRefusal(
  trx: Transaction<PaymentsDatabase>,
  payment: PaymentRow,
  reservation: Reservation,
): Promise<void> {
  const noted = await trx
    .updateTable("refund_reservation")
    .set({ refused_at: sql<Date>`now()` })
    .where("refund_id", "=", reservation.refund_id)
    .where(sql<boolean>`coalesce(refused_at < now() - interval '1 hour', true)`)
    .returning("refund_id")
    .executeTakeFirst();
  if (!noted) return;
  await appendAudit(trx, {
    actor: ASKING_SERVICE,
    action: "refund.sending_refused",
    subject: reservation.refund_id,
    detail: {
      ...factsOf(payment, reservation),
      code: "refund_not_agreed",
      agreedBy: reservation.agreed_by,
    },
  });
}

/** The actor of what no person has asked this service for. */
const ASKING_SERVICE = "refunds";

function factsOf(payment: PaymentRow, { amount_minor, kind }: Reservation): Record<string, unknown> {
  return {
    merchantId: payment.merchant_id,
    paymentId: payment.payment_id,
    amount: formatAmount(amount_minor, payment.currency_exponent),
    currency: payment.currency,
    kind,
  };
}
