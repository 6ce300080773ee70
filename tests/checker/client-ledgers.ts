/** What is written down on this side of the gateway: by merchants, buyers and operators. */

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
  /** What a POST asked for that makes a refund. */
  refund?: SentRefund;
  idempotencyKey?: string;
  sentAt: number;
  /** False only where it is certain that no byte of the request left. */
  bytesSent: boolean;
  /** Missing where no answer came. */
  answeredAt?: number;
  status?: number;
  /** Whether the answer said `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** In seconds, as the answer said it. */
  retryAfter?: string;
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

export type SentRefund = { paymentId: string; amount: string; currency: string };

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

/** One request of an operator that changes something. */
export type OperatorEntry = {
  sequence: number;
  operator: string;
  /** As the audit log calls it: `refund.approved`. */
  action: string;
  /** The record it is about; missing where the service generates the id and no answer named it. */
  subject?: string;
  bytesSent: boolean;
  /** Missing where no answer came. */
  status?: number;
  /** The code of a problem. */
  code?: string;
};
