import type { AuditDatabase } from "@holdfast/audit";
import type { IdempotencyKeyTable } from "@holdfast/idempotency";
import type { OutboxTable } from "@holdfast/outbox";
import type {
  AcquirerAccountTable,
  AcquirerAccountVersionTable,
  AcquirerCallSlotTable,
  MerchantRouteTable,
} from "./bank/account/account-tables.ts";
import type { BinImportTable, BinRangeTable } from "./accept/bins/import-tables.ts";
import type {
  ChargebackEvidencePartTable,
  ChargebackEvidenceTable,
  ChargebackLineTable,
  ChargebackTable,
} from "./follow-up/chargeback/chargeback-tables.ts";
import type {
  CheckoutPaymentTable,
  CheckoutTable,
  PaymentLinkTable,
} from "./accept/checkout/checkout-tables.ts";
import type { PanFingerprintKeyTable } from "./accept/fingerprint/fingerprint-key-table.ts";
import type { RuleAttemptTable, RuleCounterTable } from "./accept/rules/rule-tables.ts";
import type { PaymentOperationTable } from "./follow-up/operation/operation-table.ts";
import type { PaymentResolutionTable } from "./people/operator/resolution-table.ts";
import type { PaymentHistoryTable, PaymentTable } from "./payment/payment-table.ts";
import type { PaymentReversalTable } from "./unknown/recovery/reversal-table.ts";
import type { PaymentWatchTable } from "./unknown/recovery/watch-table.ts";
import type { RefundReservationTable } from "./follow-up/refund-reservation/reservation-table.ts";
import type { PurgeProgressTable } from "./retention/purge-progress-table.ts";
import type { ThreeDsSessionTable } from "./accept/three-ds/session-table.ts";

/** Tables of the schema `payments`, as the migrations make them; a test compares the two. */
export type PaymentsDatabase = AuditDatabase & {
  payment: PaymentTable;
  payment_history: PaymentHistoryTable;
  outbox: OutboxTable;
  idempotency_key: IdempotencyKeyTable;
  payment_resolution: PaymentResolutionTable;
  payment_reversal: PaymentReversalTable;
  payment_watch: PaymentWatchTable;
  payment_operation: PaymentOperationTable;
  refund_reservation: RefundReservationTable;
  chargeback: ChargebackTable;
  chargeback_line: ChargebackLineTable;
  chargeback_evidence: ChargebackEvidenceTable;
  chargeback_evidence_part: ChargebackEvidencePartTable;
  pan_fingerprint_key: PanFingerprintKeyTable;
  bin_import: BinImportTable;
  bin_range: BinRangeTable;
  rule_counter: RuleCounterTable;
  rule_attempt: RuleAttemptTable;
  checkout: CheckoutTable;
  checkout_payment: CheckoutPaymentTable;
  payment_link: PaymentLinkTable;
  three_ds_session: ThreeDsSessionTable;
  acquirer_account: AcquirerAccountTable;
  acquirer_account_version: AcquirerAccountVersionTable;
  acquirer_call_slot: AcquirerCallSlotTable;
  merchant_route: MerchantRouteTable;
  purge_progress: PurgeProgressTable;
};
