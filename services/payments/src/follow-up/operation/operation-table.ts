import type { Generated } from "kysely";
import type { OperationKind } from "./payment-operation.ts";

export type PaymentOperationTable = {
  operation_id: string;
  payment_id: string;
  kind: OperationKind;
  amount_minor: bigint;
  commission_minor: bigint;
  reason: string | null;
  state: "IN_FLIGHT" | "DONE" | "DECLINED" | "DROPPED";
  result_code: string | null;
  result_message: string | null;
  traceparent: string | null;
  credential_issued_by: string | null;
  created_at: Generated<Date>;
  finished_at: Date | null;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type OperationTables = {
  payment_operation: PaymentOperationTable;
};
