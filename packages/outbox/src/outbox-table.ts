import type { ColumnType, Generated } from "kysely";

/**
 * A service's table of events, in its own schema. A row is inserted in the transaction of the change that it reports.
 */
export type OutboxTable = {
  event_id: Generated<string>;
  occurred_at: ColumnType<Date, never, never>;
  event_type: string;
  /** The id of the event's subject: for a refund's event the refund's own id, for a statement's the statement's. */
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
