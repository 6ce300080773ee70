import type { Challenge } from "@holdfast/acquirer";
import type { JSONColumnType } from "kysely";

export type ThreeDsSessionTable = {
  payment_id: string;
  session_id: string;
  expires_at: Date;
  success_url: string;
  failure_url: string;
  page_url: string;
  acquirer_session: string | null;
  challenge: JSONColumnType<Challenge> | null;
  trans_status: string | null;
  eci: string | null;
  ds_trans_id: string | null;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type SessionTables = {
  three_ds_session: ThreeDsSessionTable;
};
