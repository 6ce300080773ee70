import type { ColumnType, Generated } from "kysely";

/** A service's table of events, in its own schema. A row is inserted by the transaction that ends a payment or refund. */
export type OutboxTable = {
  event_id: Generated<string>;
  occurred_at: ColumnType<Date, never, never>;
  event_type: string;
  /** Of a refund's event it is the refund's own id. */
  payment_id: string;
  merchant_id: string;
  status: string;
  body: Buffer;
  traceparent: string | null;
  xact_id: Generated<string>;
  confirmed_at: Date | null;
  publish_attempts: Generated<number>;
  publish_at: Date | null;
};
