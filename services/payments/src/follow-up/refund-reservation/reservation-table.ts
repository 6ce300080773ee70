import type { Generated } from "kysely";

export type RefundReservationTable = {
  refund_id: string;
  payment_id: string;
  merchant_id: string | null;
  amount_minor: bigint;
  kind: "refund" | "release" | null;
  state: "ACTIVE" | "SETTLED" | "RELEASED" | "REFUSED";
  refusal: string | null;
  asked_by: string[];
  agreed_by: Generated<string[]>;
  agreed_at: Generated<Date | null>;
  refused_at: Generated<Date | null>;
  created_at: Generated<Date>;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type ReservationTables = {
  refund_reservation: RefundReservationTable;
};
