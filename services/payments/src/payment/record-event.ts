import type { EventType } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { webhookBody, type ShownPayment } from "./payment-record.ts";

/** The merchant's event about the payment as it is now, in the transaction that makes it so. */
export async function recordEvent(
  trx: Transaction<PaymentsDatabase>,
  payment: ShownPayment,
  event_type: EventType,
  traceparent: string | null,
): Promise<void> {
  const { payment_id, merchant_id, state: status } = payment;
  const body = webhookBody(payment);
  await trx
    .insertInto("outbox")
    .values({ event_type, payment_id, merchant_id, status, body, traceparent })
    .execute();
}
