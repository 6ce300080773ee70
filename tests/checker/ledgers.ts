/**
 * What the checker reads after a run, in types of its own: it must not believe the code it judges, so nothing here
 * comes from a service or from the contracts.
 */
export type Ledgers = {
  /** What the merchants' side sent and got. */
  history: HistoryEntry[];
  /** The acquirer's own ledger, whole. */
  bank: BankLine[];
  payments: PaymentRow[];
  paymentHistory: PaymentHistoryRow[];
  outbox: OutboxRow[];
  checkouts: CheckoutRow[];
  checkoutPayments: CheckoutPaymentRow[];
  /** What buyers did on the checkouts' pages, and what they were shown. */
  visits: Visit[];
};

/** One HTTP request of a merchant. Times are milliseconds of one clock, the client's. */
export type HistoryEntry = {
  sequence: number;
  merchantId: string;
  gateway: string;
  method: "GET" | "POST";
  path: string;
  /** What a POST asked for that makes a payment. */
  order?: SentOrder;
  /** What a POST asked for that opens a checkout. */
  checkout?: SentCheckout;
  /** What a POST asked for that changes one. */
  operation?: SentOperation;
  idempotencyKey?: string;
  sentAt: number;
  /** False only where it is certain that no byte of the request left. */
  bytesSent: boolean;
  /** Missing where no answer came. */
  answeredAt?: number;
  status?: number;
  /** Whether the answer said `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** The exact text of the answer. */
  body?: string;
  /** Why there is no answer. */
  error?: string;
};

/** A payment as it was asked for. A card is named by its masked number and by what the simulator does with it. */
export type SentOrder = {
  orderId: string;
  /** The JSON source text of the number. */
  amount: string;
  currency: string;
  maskedPan: string;
  behaviour: string;
};

/** A checkout as it was asked for; without `expiresInSeconds` it is open as long as the service sees fit. */
export type SentCheckout = {
  orderId: string;
  /** The JSON source text of the number. */
  amount: string;
  currency: string;
  transactionType: "PAYMENT" | "PRE_AUTHORIZATION";
  threeDs: boolean;
  expiresInSeconds?: number;
};

/** Without an amount, all that is left. */
export type SentOperation = { kind: "capture" | "cancel"; paymentId: string; amount?: string };

/** A line of the acquirer's ledger (tools/acquirer-simulator/README.md, Ledger). */
export type BankLine = {
  sequence: number;
  operation: string;
  reference: string;
  parentReference: string | null;
  amountMinor: bigint;
  currency: string;
  outcome: "approved" | "declined";
  externalTransactionId: string;
  authCode: string | null;
  resultCode: string;
};

export type PaymentRow = {
  paymentId: string;
  merchantId: string;
  state: string;
  version: number;
  orderId: string;
  amountMinor: bigint;
  currency: string;
  externalTransactionId: string | null;
  authCode: string | null;
  resultCode: string | null;
  capturedMinor: bigint;
  /** Whether a capture or a cancellation of it is under way. */
  operated: boolean;
  /** Whether some worker is bound to look at it again. */
  scheduled: boolean;
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
  eventId: string;
  paymentId: string;
  status: string;
  /** The webhook's exact text. */
  body: string;
  transactionId: string;
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
  /** Whether its time has been over for long enough for somebody to have closed it, by the database's clock. */
  overdue: boolean;
};

/** A payment made for a checkout. */
export type CheckoutPaymentRow = {
  paymentId: string;
  checkoutId: string;
  attempt: number;
  /** Whether it was begun when the checkout's time was over. */
  late: boolean;
};

/** One request of a buyer's browser about a checkout, on the clock of `HistoryEntry`. */
export type Visit = {
  checkoutId: string;
  action: "look" | "pay" | "cancel";
  /** The payment that the form stands for. */
  paymentId?: string;
  sentAt: number;
  /** Missing where no answer came. */
  answeredAt?: number;
  status?: number;
  /** What the page says of the checkout, where it was shown. */
  shown?: ShownCheckout;
};

/** A form to pay with, a payment under way, paid, closed without being paid, or no such checkout. */
export type ShownCheckout = "form" | "waiting" | "paid" | "unpaid" | "missing";

/** A broken promise, with the ids to look it up by. */
export type Violation = { invariant: number; ids: string[]; what: string };

/** One promise of `reliability.md`, section 1, under its number there; from 31 on those of hosted checkouts. */
export type Invariant = {
  number: number;
  promise: string;
  violations: (ledgers: Ledgers) => Omit<Violation, "invariant">[];
};
