import type { ColumnType, Generated } from "kysely";

/** A service's table of events, in its own schema. A row is inserted by the transaction that makes true what it reports. */
export type OutboxTable = {
  event_id: Generated<string>;
  occurred_at: ColumnType<Date, never, never>;
  event_type: string;
  /** What the event is about: of a refund's event it is the refund's own id, of a statement's the statement's. */
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
