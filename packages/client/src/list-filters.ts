import type { PaymentStatus, TransactionType } from "./payment-records.ts";

/**
 * Criteria for payments and refunds; a record has to match all of the given fields. `from` is included, `to`
 * is not; both are texts such as `2026-11-01T00:00:00Z`. A search without an index needs both, at most 31
 * days apart.
 */
export type PaymentFilter = {
  orderId?: string | undefined;
  status?: PaymentStatus | undefined;
  transactionType?: TransactionType | undefined;
  customerId?: string | undefined;
  last4?: string | undefined;
  bin?: string | undefined;
  currency?: string | undefined;
  /** The least amount in major units, as text. */
  amountFrom?: string | undefined;
  amountTo?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

/** `from` and `to` are about `createdAt`. */
export type CheckoutFilter = {
  orderId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

/** A file of all matching rows. */
export type CsvOptions = {
  /** Begins with a byte order mark, by which Excel recognizes UTF-8. */
  bom?: boolean;
};
