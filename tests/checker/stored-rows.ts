/** The stored rows of the four services, as their schemas' owner sees them. */
export type StoredRows = {
  payments: PaymentRow[];
  paymentHistory: PaymentHistoryRow[];
  /** Rows of every service that has an outbox. */
  outbox: OutboxRow[];
  checkouts: CheckoutRow[];
  checkoutPayments: CheckoutPaymentRow[];
  /** The refund amounts that `payments` keeps. */
  reservations: ReservationRow[];
  /** The amounts that banks have taken from payments for their buyers. */
  chargebacks: ChargebackRow[];
  /** The record that `payments` keeps of its calls at banks. */
  bankCalls: BankCallRow[];
  refunds: RefundRow[];
  refundHistory: RefundHistoryRow[];
  approvals: ApprovalRow[];
  /** The events that the dispatcher has accepted. */
  acceptedEvents: AcceptedEventRow[];
  /** The dispatcher's record of its attempts. */
  attempts: AttemptRow[];
  /** Every service's audit log, each in its order. */
  audit: AuditRow[];
  leases: LeaseRow[];
  /** Names of the connections that are idle in a transaction. */
  idleTransactions: string[];
};

export type PaymentRow = {
  paymentId: string;
  merchantId: string;
  /** The account at the bank. */
  accountId: string;
  transactionType: string;
  state: string;
  version: number;
  orderId: string;
  amountMinor: bigint;
  currency: string;
  cardSubType: string | null;
  externalTransactionId: string | null;
  authCode: string | null;
  resultCode: string | null;
  capturedMinor: bigint;
  releasedMinor: bigint;
  reservedMinor: bigint;
  refundedMinor: bigint;
  chargedBackMinor: bigint;
  /** The time since it was made, by the database's clock. */
  ageMs: number;
  /** Recovery's attempts, since the last time it was settled. */
  attempts: number;
  /** True while a capture or a cancellation of it is under way. */
  operated: boolean;
  /** True if some worker is bound to look at it again. */
  scheduled: boolean;
  /** True if its buyer failed the 3-D Secure challenge. */
  isUnauthenticated: boolean;
};

/** Amounts are in the payment's currency. */
export type ChargebackRow = {
  chargebackId: string;
  paymentId: string;
  countedMinor: bigint;
  /** The amount of it that had been refunded before, according to the case. */
  excessMinor: bigint;
};

/** One sending to a bank, and its answer: to the call itself or to an inquiry. */
export type BankCallRow = {
  paymentId: string;
  /** The call's number within its payment. */
  number: number;
  accountId: string;
  kind: string;
  /** The operation or the refund that it is for; null for the payment's own calls. */
  movementId: string | null;
  outcome: string | null;
  /** The bank's name of the movement. */
  name: string | null;
};

export type PaymentHistoryRow = {
  paymentId: string;
  version: number;
  from: string | null;
  to: string;
  cause: string;
  transactionId: string;
};

export type OutboxRow = {
  owner: "payments" | "refunds";
  eventId: string;
  merchantId: string;
  /** The id of the payment, or of the refund. */
  paymentId: string;
  status: string;
  /** The webhook's exact text. */
  body: string;
  transactionId: string;
  /** Epoch milliseconds; a moment before its commit. */
  occurredAt: number;
  /** True if the dispatcher has confirmed that it has the event. */
  confirmed: boolean;
};

export type CheckoutRow = {
  checkoutId: string;
  merchantId: string;
  state: string;
  transactionType: string;
  orderId: string;
  amountMinor: bigint;
  currency: string;
  /** The latest payment. */
  paymentId: string | null;
  attempts: number;
  /** True if its time has been over for so long that it should be closed, by the database's clock. */
  overdue: boolean;
};

/** A payment made for a checkout. */
export type CheckoutPaymentRow = {
  paymentId: string;
  checkoutId: string;
  attempt: number;
  /** True if it was begun when the checkout's time was over. */
  late: boolean;
};

export type ReservationRow = { refundId: string; paymentId: string; amountMinor: bigint; state: string };

export type RefundRow = {
  refundId: string;
  paymentId: string;
  merchantId: string;
  state: string;
  version: number;
  kind: string | null;
  amountMinor: bigint;
  currency: string;
  requestedBy: string | null;
  credentialIssuedBy: string | null;
  rejectedBy: string | null;
  /** Recovery's attempts, since the last time it was settled. */
  attempts: number;
  /** True if some worker is bound to look at it again. */
  scheduled: boolean;
};

export type RefundHistoryRow = {
  refundId: string;
  version: number;
  from: string;
  to: string;
  cause: string;
  transactionId: string;
};

export type ApprovalRow = { refundId: string; approvedBy: string; at: Date };

/** `outcome` is missing while an event is not resolved. */
export type AcceptedEventRow = { eventId: string; merchantId: string; outcome: string | null };

/** An attempt, identified by its event and its `x-request-time`. */
export type AttemptRow = { eventId: string; requestTime: string; succeeded: boolean };

export type AuditRow = {
  service: string;
  sequence: bigint;
  at: Date;
  actor: string;
  action: string;
  subject: string;
  detail: string;
  hash: Buffer;
};

/** A lease that was not given back. */
export type LeaseRow = { table: string; id: string; expired: boolean };
