/** The records outside of the gateway, kept by merchants, buyers and operators. */

/** One HTTP request of a merchant. Times are milliseconds of one clock, the client's. */
export type HistoryEntry = {
  sequence: number;
  merchantId: string;
  gateway: string;
  method: "GET" | "POST";
  path: string;
  /** The payment that a POST requests. */
  order?: SentOrder;
  /** The checkout that a POST opens. */
  checkout?: SentCheckout;
  /** The operation that a POST requests. */
  operation?: SentOperation;
  /** The refund that a POST requests. */
  refund?: SentRefund;
  idempotencyKey?: string;
  sentAt: number;
  /** False only where it is certain that no byte of the request left. */
  bytesSent: boolean;
  /** Missing if no answer came. */
  answeredAt?: number;
  status?: number;
  /** True if the answer said `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** The seconds of the answer's `Retry-After`. */
  retryAfter?: string;
  /** The exact text of the answer. */
  body?: string;
  /** The reason why there is no answer. */
  error?: string;
};

/** A requested payment. A card is named by its masked number and by the simulator's treatment of it. */
export type SentOrder = {
  orderId: string;
  /** The JSON source text of the number. */
  amount: string;
  currency: string;
  maskedPan: string;
  behaviour: string;
};

/** A requested checkout; without `expiresInSeconds` it is open for the service's default time. */
export type SentCheckout = {
  orderId: string;
  /** The JSON source text of the number. */
  amount: string;
  currency: string;
  transactionType: "PAYMENT" | "PRE_AUTHORIZATION";
  threeDs: boolean;
  expiresInSeconds?: number;
};

/** An operation as it was sent; without an amount it covers the whole rest. */
export type SentOperation = { kind: "capture" | "cancel"; paymentId: string; amount?: string };

export type SentRefund = { paymentId: string; amount: string; currency: string };

/** One request of a buyer's browser about a checkout, on the clock of `HistoryEntry`. */
export type Visit = {
  checkoutId: string;
  action: "look" | "pay" | "cancel";
  /** The payment that belongs to the form. */
  paymentId?: string;
  sentAt: number;
  /** Missing if no answer came. */
  answeredAt?: number;
  status?: number;
  /** The checkout's state on the page, where it was shown. */
  shown?: ShownCheckout;
};

/** A form to pay with, a payment under way, paid, closed without being paid, or no such checkout. */
export type ShownCheckout = "form" | "waiting" | "paid" | "unpaid" | "missing";

/** One request of an operator that changes something. */
export type OperatorEntry = {
  sequence: number;
  operator: string;
  /** The audit log's name of the action: `refund.approved`. */
  action: string;
  /** The record that the action is about; missing if the service generates the id and no answer named it. */
  subject?: string;
  bytesSent: boolean;
  /** Missing if no answer came. */
  status?: number;
  /** The code of a problem. */
  code?: string;
};
