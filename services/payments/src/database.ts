import type { AuditDatabase } from "@holdfast/audit";
import type { IdempotencyKeyTable } from "@holdfast/idempotency";
import type { OutboxTable } from "@holdfast/outbox";
import type {
  AcquirerAccountTable,
  AcquirerAccountVersionTable,
  AcquirerCallSlotTable,
  MerchantRouteTable,
} from "./acquirer-account/account-tables.ts";
import type { BinImportTable, BinRangeTable } from "./card-bins/import-tables.ts";
import type {
  ChargebackEvidencePartTable,
  ChargebackEvidenceTable,
  ChargebackLineTable,
  ChargebackTable,
} from "./chargeback/chargeback-tables.ts";
import type { CheckoutPaymentTable, CheckoutTable, PaymentLinkTable } from "./checkout/checkout-tables.ts";
import type { PanFingerprintKeyTable } from "./fingerprint/fingerprint-key-table.ts";
import type { RuleAttemptTable, RuleCounterTable } from "./merchant-rules/rule-tables.ts";
import type { PaymentOperationTable } from "./operation/operation-table.ts";
import type { PaymentResolutionTable } from "./operator/resolution-table.ts";
import type { PaymentHistoryTable, PaymentTable } from "./payment/payment-table.ts";
import type { PaymentReversalTable } from "./recovery/reversal-table.ts";
import type { PaymentWatchTable } from "./recovery/watch-table.ts";
import type { RefundReservationTable } from "./refund-reservation/reservation-table.ts";
import type { PurgeProgressTable } from "./retention/purge-progress-table.ts";
import type { ThreeDsSessionTable } from "./three-ds/session-table.ts";

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
