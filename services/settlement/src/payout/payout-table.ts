import type { Generated } from "kysely";
import type { PayoutVerdict } from "./judge-payout.ts";

export type PayoutTable = {
  account_id: string;
  payout_id: string;
  currency: string;
  /** The last day of its lines, `2026-11-23`; read as text. */
  due_on: Generated<string | null>;
  judge: Generated<boolean>;
  verdict: Generated<PayoutVerdict | null>;
};
