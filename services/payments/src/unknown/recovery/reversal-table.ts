import type { Generated } from "kysely";

export type PaymentReversalTable = {
  payment_id: string;
  approved_minor: bigint | null;
  sent_at: Date | null;
  settled_at: Date | null;
  last_sent_at: Date | null;
  sends: Generated<number>;
  refund_sub_reference: Generated<number>;
  refund_sent_at: Date | null;
  refund_sends: Generated<number>;
  refused_at: Date | null;
  refusal_code: string | null;
  refusal_message: string | null;
};

/** The room's part of the schema; `database.ts` composes them. */
export type ReversalTables = {
  payment_reversal: PaymentReversalTable;
};
