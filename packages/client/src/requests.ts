import type { Amount } from "./amount.ts";
import type { CheckoutDetails, OrderDetails } from "./order-details.ts";
import type { MerchantFields } from "./payment-records.ts";
import type { WebhookEventType } from "./webhook-records.ts";

/** The gateway's OpenAPI document has the card fields and bounds, and the gateway validates them. */
export type PreAuthorizationRequest = OrderDetails & {
  [Field in keyof MerchantFields]: MerchantFields[Field] | undefined;
} & {
  orderId: string;
  amount: Amount;
  /** ISO 4217, upper case. */
  currency: string;
  cardHolderName: string;
  pan: string;
  /** Two digits. */
  expiryMonth: string;
  /** Two digits. */
  expiryYear: string;
  cvv: string;
  /** The buyer's address and port. */
  requestIp: string;
  requestPort: number;
  /** Allows this attempt while the bank has not decided on an earlier one at the same order; defaults to false. */
  allowConcurrentAttempt?: boolean | undefined;
};

export type PaymentRequest = PreAuthorizationRequest & {
  installmentCount?: number | undefined;
  /** The whole amount that the card is charged, as `bins.get` gives it for the order; without it, `amount` is charged. */
  installmentTotal?: Amount | undefined;
  loyaltyCode?: string | undefined;
};

export type ThreeDsRequest = PaymentRequest & {
  /** Defaults to PAYMENT. */
  transactionType?: "PAYMENT" | "PRE_AUTHORIZATION" | undefined;
  successUrl: string;
  failureUrl: string;
};

/** Captures the whole capturable amount if there is no `amount`. */
export type CaptureRequest = { amount?: Amount | undefined; currency?: string | undefined };

export type CancelRequest = { reason?: string | undefined };

export type RefundRequest = {
  amount: Amount;
  currency: string;
  /** The reason, for the operators who decide. */
  reason?: string | undefined;
};

export type CheckoutRequest = CheckoutDetails & {
  orderId: string;
  amount: Amount;
  currency: string;
  customerId?: string | undefined;
  installmentOptions?: number[] | undefined;
  /** The buyer pays for installments if the account has prices for them; the page shows the totals. */
  installmentPrices?: boolean | undefined;
  successUrl: string;
  failureUrl: string;
  transactionType?: "PAYMENT" | "PRE_AUTHORIZATION" | undefined;
  threeDs?: boolean | undefined;
  expiresInSeconds?: number | undefined;
  /** The goods, shown to the buyer in the place of the order's number. */
  buyerText?: string | undefined;
};

export type PaymentLinkRequest = {
  orderId: string;
  /** The goods; the buyer reads it. */
  description: string;
  amount: Amount;
  currency: string;
  installmentOptions?: number[] | undefined;
  threeDs?: boolean | undefined;
  /** The address to which the buyer can go after paying or giving up; without it the buyer stays on the page. */
  returnUrl?: string | undefined;
  /** SINGLE for one payment or MULTIPLE for many; defaults to SINGLE. */
  use?: "SINGLE" | "MULTIPLE" | undefined;
  /** 60 to 31 536 000; defaults to 30 days. */
  expiresInSeconds?: number | undefined;
};

export type NewWebhookRequest = {
  url: string;
  /** Defaults to `payment.status_changed` alone. */
  events?: WebhookEventType[] | undefined;
  /** Headers that every request to the endpoint gets; the values are never shown again. */
  headers?: { name: string; value: string }[] | undefined;
};

/** Fields that are left out keep their values. */
export type WebhookChangeRequest = {
  /** The version that you have read: if it has changed since, the change is refused. */
  version?: number | undefined;
  url?: string | undefined;
  events?: WebhookEventType[] | undefined;
  /** All headers from now on; one without a value keeps its value. */
  headers?: { name: string; value?: string | undefined }[] | undefined;
  enabled?: boolean | undefined;
  /** The fate of the events that happen while it is off; required with `enabled: false`. */
  whileOff?: "wait" | "skip" | undefined;
  /** The fate of the events that wait; required with `enabled: true`. */
  waiting?: "deliver" | "discard" | undefined;
};

/** Options of every call with an Idempotency-Key that creates or changes something. */
export type CallOptions = {
  /**
   * Your key for the call. By default the client generates one and keeps it over the retries. If your process
   * may die during the call, store a key of your own before, and give it here: the same call with the same
   * key is carried out once.
   */
  idempotencyKey?: string | undefined;
  /**
   * Says that no earlier call had your key. Without it, a call with your key that finds the gateway closed, or has wrong
   * credentials, ends as `unknown` and not as `not_started`: an earlier call may have been carried out.
   */
  neverSent?: boolean | undefined;
};
