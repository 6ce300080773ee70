import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import type { PaymentRow, ShownOperation } from "./payment-record.ts";

/**
 * A payment with its latest operation, and with whether a process is working on it now, by the database's clock, in one
 * consistent read.
 */
export type FoundPayment = PaymentRow & { last_operation: ShownOperation | null; lease_is_live: boolean };

/** A payment as it is read, with its latest operation in JSON. */
export type ReadPayment = PaymentRow & { operation: OperationJson | null };

/** One payment of the merchant; another merchant's payment counts as unknown. */
export async function findPayment(
  db: Kysely<PaymentsDatabase>,
  merchantId: string,
  paymentId: string,
): Promise<FoundPayment | undefined> {
  const found = await db
    .selectFrom("payment")
    .selectAll()
    .select([
      sql<boolean>`coalesce(lease_until > now(), false)`.as("lease_is_live"),
      lastOperation().as("operation"),
    ])
    .where("payment_id", "=", paymentId)
    .where("merchant_id", "=", merchantId)
    .executeTakeFirst();
  return found && withOperation(found);
}

/** The payment's row, locked until the transaction ends. @param merchantId undefined for our own work. */
export async function lockPayment(
  trx: Transaction<PaymentsDatabase>,
  paymentId: string,
  merchantId: string | undefined,
): Promise<PaymentRow | undefined> {
  return await trx
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .$if(merchantId !== undefined, (query) => query.where("merchant_id", "=", merchantId!))
    .forUpdate()
    .executeTakeFirst();
}

/** An operation in JSON, which has neither dates nor exact large numbers. */
type OperationJson = Omit<ShownOperation, "amount_minor" | "at"> & { amount_minor: string; at: string };

/** The latest operation on the row of `payment`; a dropped operation was never sent and is not shown. */
export function lastOperation(): RawBuilder<OperationJson | null> {
  return sql<OperationJson | null>`(
    select json_build_object(
      'kind', kind, 'amount_minor', amount_minor::text, 'result_code', result_code,
      'reason', reason,
      'status', case state when 'IN_FLIGHT' then 'PENDING' else state end, 'at', coalesce(finished_at, created_at))
    from payment_operation
    where payment_operation.payment_id = payment.payment_id and state <> 'DROPPED'
    order by created_at desc limit 1)`;
}

export function withOperation<Row extends { operation: OperationJson | null }>(
  row: Row,
): Omit<Row, "operation"> & { last_operation: ShownOperation | null } {
  const { operation, ...payment } = row;
  const { amount_minor, at } = operation ?? {};
  const last_operation = operation && {
    ...operation,
    amount_minor: BigInt(amount_minor!),
    at: new Date(at!),
  };
  return { ...payment, last_operation };
}
