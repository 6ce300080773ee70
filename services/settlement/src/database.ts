import type { AuditDatabase } from "@holdfast/audit";
import type { MovementFact } from "@holdfast/contracts";
import type { OutboxTable } from "@holdfast/outbox";
import type { Generated } from "kysely";
import type { ChargebackReportTable } from "./chargeback/chargeback-report-table.ts";
import type { FeedTable } from "./facts/feed-table.ts";
import type {
  AccountTable,
  ImportTable,
  LineFaultTable,
  LineTable,
  MerchantAccountTable,
} from "./import/import-table.ts";
import type { UploadPartTable, UploadTable } from "./import/upload-table.ts";
import type { PayoutTable } from "./payout/payout-table.ts";
import type { DifferenceNoteTable, DifferenceTable } from "./match/difference-table.ts";
import type { FactVerdict } from "./match/judge-fact.ts";
import type {
  StatementChangeTable,
  StatementRevisionTable,
  StatementTable,
} from "./statement/statement-tables.ts";

/** Tables of the schema `settlement`, as the migrations make them; a test compares the two. */
export type SettlementDatabase = AuditDatabase & {
  fact: FactTable;
  feed: FeedTable;
  account: AccountTable;
  merchant_account: MerchantAccountTable;
  import: ImportTable;
  line: LineTable;
  line_fault: LineFaultTable;
  payout: PayoutTable;
  upload: UploadTable;
  upload_part: UploadPartTable;
  difference: DifferenceTable;
  difference_note: DifferenceNoteTable;
  chargeback_report: ChargebackReportTable;
  statement: StatementTable;
  statement_revision: StatementRevisionTable;
  statement_change: StatementChangeTable;
  outbox: OutboxTable;
};

export type FactTable = {
  fact_id: string;
  account_id: string;
  parent_id: string | null;
  merchant_id: string;
  kind: MovementFact["kind"];
  standing: MovementFact["standing"];
  amount_minor: bigint;
  currency: string;
  occurred_at: Date;
  version: number;
  order_id: string;
  masked_pan: string;
  external_transaction_id: string | null;
  auth_code: string | null;
  voids: Generated<boolean>;
  reported: Generated<boolean>;
  judge: Generated<boolean>;
  verdict: FactVerdict | "MISSING_AT_BANK" | null;
  commission_minor: bigint | null;
  refunds_commission: boolean | null;
};
