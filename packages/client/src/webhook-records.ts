import type { Checkout } from "./checkout-records.ts";
import type { Known, Payment, TransactionType } from "./payment-records.ts";
import type { Statement } from "./statements.ts";

/** Events whose body is a payment or a refund, in the state that it had then. */
export type PaymentEventType =
  | "payment.status_changed"
  | "payment.captured"
  | "payment.enrolled"
  | "payment.operation_settled"
  | "payment.chargeback"
  | "refund.requested";

/** A payment with the chargeback that the event is about. */
export type ChargedBackPayment = Payment & {
  transactionType: Known<TransactionType>;
  chargeback: Chargeback;
};

/**
 * A buyer's dispute at the bank. It goes from `OPEN` to another status, and from `LOST` to `WON`, never back.
 */
export type Chargeback = {
  chargebackId: string;
  /** `REFUND` is a refund that the gateway did not make, such as one in the bank's panel. */
  kind: Known<"CHARGEBACK" | "REFUND">;
  /** `WON` and `WITHDRAWN` give the amount back. */
  status: Known<"OPEN" | "WON" | "LOST" | "WITHDRAWN">;
  amount: number;
  currency: string;
  reasonCode?: string;
  /** The time until which the bank accepts evidence. */
  respondBy?: string;
  openedAt: string;
};

/** Events about the end of a checkout. */
export type CheckoutEventType = "checkout.completed" | "checkout.expired" | "checkout.cancelled";

/** A checkout as it ended. */
export type WebhookCheckout = Pick<
  Checkout,
  | "checkoutId"
  | "orderId"
  | "amount"
  | "currency"
  | "customerId"
  | "transactionType"
  | "paymentLinkId"
  | "createdAt"
  | "expiresAt"
  | "installments"
  | "payment"
> & { status: Known<"COMPLETED" | "EXPIRED" | "CANCELLED">; livemode: boolean };

/** Everything that an endpoint can ask for. */
export type WebhookEventType =
  | PaymentEventType
  | CheckoutEventType
  | "settlement.statement_ready"
  | "webhook.disabled_warning"
  | "webhook.endpoint_changed";

/**
 * An authentic webhook. Discard it if you have processed its `id` before: a webhook can arrive more than
 * once. An event of a later gateway is not `known` and has only its `type` and its `body`.
 */
export type WebhookEvent = {
  /** The event's id, the same on every attempt. */
  id: string;
  /** The time at which this attempt was signed, in epoch milliseconds. */
  time: number;
} & (
  | { known: true; type: Exclude<PaymentEventType, "payment.chargeback">; payment: Payment }
  | { known: true; type: "payment.chargeback"; payment: ChargedBackPayment }
  | { known: true; type: CheckoutEventType; checkout: WebhookCheckout }
  | { known: true; type: "settlement.statement_ready"; statement: WebhookStatement }
  | { known: true; type: "webhook.disabled_warning"; warning: WebhookWarning }
  | { known: true; type: "webhook.endpoint_changed"; change: WebhookEndpointChange }
  | { known: true; type: "webhook.test"; test: WebhookTest }
  | { known: false; type: string; body: object }
);

/** A day's complete statement. A higher revision replaces a lower one for the same day and currency. */
export type WebhookStatement = Omit<Statement, "unpricedLines" | "complete" | "revision"> & {
  livemode: boolean;
  complete: true;
  /** The number of the revision, from 1. */
  revision: number;
  /** Equals `revision`. */
  version: number;
  /** The time at which this revision was recorded. */
  statusDate: string;
  /** The path of the statement at the gateway: `/api/statements?from=…`. */
  path: string;
};

/** One of your endpoints gets no events, or gets them again; your other endpoints get this warning. */
export type WebhookWarning = {
  endpointId: string;
  default: boolean;
  /** `FAILING` for long, `TURNED_OFF` for good, `SWITCHED_OFF` for a while, or `SWITCHED_ON` again. */
  reason: Known<"FAILING" | "TURNED_OFF" | "SWITCHED_OFF" | "SWITCHED_ON">;
  failingSince?: string;
  /** The time at which the attempts at the first waiting event end. */
  lostFrom?: string;
  /** The gateway's `operators`, your `staff`, or an API key of yours (`api`); absent if `reason` is `FAILING`. */
  by?: Known<"operators" | "staff" | "api">;
};

/** One of your endpoints was added or changed; your other endpoints are notified. */
export type WebhookEndpointChange = {
  endpointId: string;
  default: boolean;
  change: Known<"ADDED" | "CHANGED" | "SECRET_ROTATED" | "SECRET_ACTIVATED">;
  /** The changed parts, where `change` is `CHANGED`. */
  fields?: Known<"url" | "events" | "headers">[];
  /** The gateway's `operators`, your `staff`, or an API key of yours (`api`). */
  by: Known<"operators" | "staff" | "api">;
};

/** The body of a test, which is about no payment. */
export type WebhookTest = { test: true; endpointId: string; livemode: boolean; sentAt: string };

/** One of your endpoints. */
export type WebhookEndpoint = {
  endpointId: string;
  default: boolean;
  url: string;
  events: Known<WebhookEventType>[];
  /** The headers that every request to it gets, without their values. */
  headers?: { name: string }[];
  /** Rises with every change of the endpoint. */
  version: number;
  /** `false` while the endpoint is off: only tests are sent to it. */
  enabled: boolean;
  /** The fate of the events that happen while it is off. */
  whileOff?: Known<"wait" | "skip">;
  /**
   * The number of events that wait for their first or next attempt, or while the endpoint is off for it to be switched
   * on, counted up to 10000.
   */
  waitingCount?: number;
  /** The time until which the oldest of these is kept, while the endpoint is off. */
  waitingUntil?: string;
  createdAt: string;
  secretVersion: number;
  /**
   * The version of the secret that signs `x-request-signature-next`. It replaces the current secret at
   * `activatesAt`.
   */
  nextSecretVersion?: number;
  activatesAt?: string;
  health: WebhookHealth;
};

/** A new secret, which is given only once, and the time at which it replaces the old one. */
export type RotatedWebhookSecret = { secret: string; activatesAt: string };

/** The endpoint's health, as the gateway saw it some seconds ago. */
export type WebhookHealth = {
  /** `open`: one request at a time is sent until one succeeds. */
  breaker: Known<"closed" | "open">;
  lastSuccessAt?: string;
  lastFailureAt?: string;
  /** The first failure after the last success; absent while it does not fail. */
  failingSince?: string;
  oldestDueAt?: string;
};

/** The attempts of one hour at one of your endpoints. */
export type WebhookHour = {
  /** The beginning of the hour. */
  hour: string;
  sent: number;
  answered: number;
  /** The other attempts, the most frequent reason first. */
  failed: { error: string; count: number }[];
  /** The milliseconds within which half of your answers came, and 95 % of them; absent without answers. */
  p50Ms?: number;
  p95Ms?: number;
};

/** Your server's answer to a test. */
export type WebhookTestResult = {
  eventId: string;
  delivered: boolean;
  statusCode?: number;
  /** The reason why it was not delivered. */
  error?: string;
  durationMs: number;
  /** The first bytes of your server's answer. */
  responseSnippet?: string;
};
