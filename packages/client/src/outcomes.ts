import type { HoldfastError } from "./holdfast-error.ts";
import type { Checkout } from "./checkout-records.ts";
import type { PaymentLink } from "./payment-link-records.ts";
import type { Payment, ThreeDsPayment } from "./payment-records.ts";

/**
 * The possible ends of a call that moves money. Each one except `unknown` is certain, and none is thrown: a `switch`
 * over `outcome` has all of them.
 */

/** The fields of every ending. */
export type Call = {
  /** The key that every sending of the call had. */
  idempotencyKey: string;
  /** The number of times that the request was sent. */
  attempts: number;
};

/** The gateway carried it out. `replayed` where it had done so before, under the same key. */
export type Done<Result> = Call & { outcome: "done"; replayed: boolean } & Result;

/**
 * It is not known yet whether the call was carried out. Do not make the same call under another key. Wait for
 * the payment's webhook, ask `payments.waitForOutcome` if there is a `paymentId`, or repeat the call with
 * `idempotencyKey`.
 */
export type Unknown<Result> = Call & {
  outcome: "unknown";
  paymentId?: string;
  /** The reason why the outcome is unknown; absent if the bank has not answered. */
  error?: HoldfastError;
} & Partial<Result>;

/** Certainly nothing was started under this key and nothing will be. `error.retryable` says whether the same call can succeed later. */
export type NotStarted = Call & { outcome: "not_started"; error: HoldfastError };

/** The payment exists and nothing was charged: FAILED by the bank, REJECTED by merchant rules, or CANCELLED. */
export type Declined = Call & { outcome: "declined"; replayed: boolean; payment: Payment };

/** The buyer has to pass the issuer's challenge. */
export type Challenge = Call & {
  outcome: "challenge";
  replayed: boolean;
  payment: ThreeDsPayment;
  challenge: { redirectUrl: string; htmlContent?: string; expiresAt?: string };
};

/**
 * The bank declined a capture or a cancellation, and the payment is unchanged; `error.problem` has the result
 * code.
 */
export type OperationDeclined = Call & { outcome: "declined"; error: HoldfastError };

export type PaymentOutcome =
  | Done<{ payment: Payment }>
  | Declined
  | Unknown<{ payment: Payment }>
  | NotStarted;
export type ThreeDsOutcome = PaymentOutcome | Challenge;
export type OperationOutcome =
  | Done<{ payment: Payment }>
  | OperationDeclined
  | Unknown<{ payment: Payment }>
  | NotStarted;
/** `done` means that the refund waits for approval. */
export type RefundOutcome = Done<{ refund: Payment }> | Unknown<{ refund: Payment }> | NotStarted;
export type CheckoutOutcome = Done<{ checkout: Checkout }> | Unknown<{ checkout: Checkout }> | NotStarted;
export type PaymentLinkOutcome =
  | Done<{ paymentLink: PaymentLink }>
  | Unknown<{ paymentLink: PaymentLink }>
  | NotStarted;

/** The result of `payments.waitForOutcome`. `settled` is false if the time was over first. */
export type Waited = { settled: boolean; payment: Payment };
