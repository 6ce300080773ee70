import type { ColumnType, Generated } from "kysely";

export type PaymentReversalTable = {
  payment_id: string;
  approved_minor: bigint | null;
  sent_at: Date | null;
  settled_at: Date | null;
  /** Its default is for a version that does not write it: whoever inserts a row says it, be it null. */
  last_sent_at: ColumnType<Date | null, Date | null, Date | null>;
  sends: Generated<number>;
  refund_sub_reference: Generated<number>;
  refund_sent_at: Date | null;
  refund_sends: Generated<number>;
  refused_at: Date | null;
  refusal_code: string | null;
  refusal_message: string | null;
};
