import type { AuditDatabase } from "@holdfast/audit";
import type { IdempotencyKeyTable } from "@holdfast/idempotency";
import type { OutboxTable } from "@holdfast/outbox";
import type { PaymentTables } from "./payment/payment-table.ts";
import type { ResolutionTables } from "./people/operator/resolution-table.ts";
import type { CallTables } from "./bank/ledger/bank-call-table.ts";
import type { WatchTables } from "./bank/ledger/watch-table.ts";
import type { OperationTables } from "./follow-up/operation/operation-table.ts";
import type { ReservationTables } from "./follow-up/refund-reservation/reservation-table.ts";
import type { ChargebackTables } from "./follow-up/chargeback/chargeback-tables.ts";
import type { FingerprintKeyTables } from "./accept/fingerprint/fingerprint-key-table.ts";
import type { ImportTables } from "./accept/bins/import-tables.ts";
import type { RuleTables } from "./accept/rules/rule-tables.ts";
import type { CheckoutTables } from "./accept/checkout/checkout-tables.ts";
import type { SessionTables } from "./accept/three-ds/session-table.ts";
import type { AccountTables } from "./bank/account/account-tables.ts";
import type { PurgeProgressTables } from "./retention/purge-progress-table.ts";

/** Tables of the schema `payments`, as the migrations make them; a test compares the two. */
export type PaymentsDatabase = AuditDatabase &
  PaymentTables &
  ResolutionTables &
  CallTables &
  WatchTables &
  OperationTables &
  ReservationTables &
  ChargebackTables &
  FingerprintKeyTables &
  ImportTables &
  RuleTables &
  CheckoutTables &
  SessionTables &
  AccountTables &
  PurgeProgressTables & {
    outbox: OutboxTable;
    idempotency_key: IdempotencyKeyTable;
  };
