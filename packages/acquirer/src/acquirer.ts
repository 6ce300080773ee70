import type { Capabilities } from "./capabilities.ts";

/**
 * The acquirer port: what Holdfast needs from a bank, in the bank's terms. Every adapter passes the suite in
 * `acquirer-conformance.ts`.
 *
 * A call that is sent twice under one `reference` is one operation only where the acquirer's capabilities say so: see
 * `Capabilities.repetition`. References begin with the payment's or the refund's id.
 *
 * No method throws because of the network or the bank. An uncertain outcome is `unknown`, and a time-out is never a
 * decline.
 */
export interface Acquirer {
  readonly capabilities: Capabilities;
  /** Reserves funds on a card. */
  authorize(request: CardRequest): Promise<AcquirerOutcome>;
  /** Reserves and captures in one step. */
  sale(request: CardRequest): Promise<AcquirerOutcome>;
  /** Captures all or a part of an authorization's funds, once. */
  capture(request: FollowUpRequest): Promise<AcquirerOutcome>;
  /** Cancels a whole authorization, or voids a sale on its business day. */
  cancel(request: FollowUpRequest): Promise<AcquirerOutcome>;
  /** Releases a part of an authorization. */
  release(request: FollowUpRequest): Promise<AcquirerOutcome>;
  /** Pays back a part or all of captured funds. */
  refund(request: FollowUpRequest): Promise<AcquirerOutcome>;
  /**
   * Reverses an authorization or a sale whose outcome is unknown, in the amount that the acquirer approved. Some acquirers
   * bind a reference that they have not seen (a tombstone), and refuse an authorization that arrives later under it:
   * that is `reversed`, too. Of the others it is `nothing_found`, which says nothing about later.
   */
  reverse(request: ReversalRequest): Promise<ReversalOutcome>;
  /**
   * 3-D Secure, first half: sends the card and returns whether its holder has to pass a challenge. It moves no money. A
   * reference that a reversal has bound is declined.
   */
  enrol(request: EnrolmentRequest): Promise<EnrolmentOutcome>;
  /**
   * 3-D Secure, second half: authorizes or sells under the enrolment's reference where the cardholder was
   * authenticated, with the card that the acquirer keeps under its session. Where the authentication failed, was
   * cancelled or has not ended, it is declined for good. `inquire` and `reverse` of the reference refer to this
   * operation.
   */
  complete(request: CompletionRequest): Promise<CompletionOutcome>;
  /** Asks for the outcome of a reference. */
  inquire(request: InquiryRequest): Promise<InquiryOutcome>;
  /** Lets the calls under way end, then closes pooled connections. Calls made afterwards are `not_sent`. */
  close(): Promise<void>;
}

/** An amount in minor units of an ISO 4217 currency. */
export type AcquirerAmount = { amountMinor: bigint; currency: string };

type Call = {
  /** Our reference, 1-128 characters of `[A-Za-z0-9:-]`; the idempotency key. */
  reference: string;
};

/** A call that takes money from a card: the buyer does not wait for ever, so it must not begin late. */
type ExpiringCall = Call & {
  /**
   * The acquirer must not begin after this instant; also the end of our own wait. The end of the wait is not the end of
   * the operation: a call that it cuts off is `unknown`, or `not_sent` where it was still waiting to be sent.
   */
  expiresAt: Date;
};

/**
 * A call that is repeated until its outcome is known. The acquirer is told no expiry: what was promised to a merchant is
 * carried out however late the acquirer reads it.
 */
type LastingCall = Call & {
  /** The end of our own wait, which the acquirer does not learn; a call that it cuts off is `unknown` or `not_sent`. */
  waitUntil: Date;
};

export type CardRequest = ExpiringCall &
  AcquirerAmount & {
    card: AcquirerCard;
    cardHolderName: string;
    installmentCount: number;
  };

/** Plain card data, in memory only for the length of one call. */
export type AcquirerCard = { pan: string; expiryMonth: string; expiryYear: string; cvv: string };

/**
 * `parentReference` is the reference of the authorization or the sale, also for a refund after a capture. The amount of
 * a cancel is the parent's whole amount, less what was released.
 */
export type FollowUpRequest = LastingCall & AcquirerAmount & { parentReference: string };

/** The operation to carry out once the cardholder is authenticated. */
export type CardOperation = "authorize" | "sale";

export type EnrolmentRequest = CardRequest & {
  operation: CardOperation;
  /** Where the cardholder's browser is sent after the challenge, by GET or POST, with the session in a field `session`. */
  returnUrl: string;
  /** The challenge has to be passed before this instant. */
  sessionExpiresAt: Date;
};

/** Reference, operation, amount and currency are the enrolment's. */
export type CompletionRequest = ExpiringCall & AcquirerAmount & { operation: CardOperation; session: string };

/**
 * The result of an authentication, in the terms of EMV 3-D Secure (EMVCo): `transStatus` Y authenticated, A attempted,
 * N not authenticated, R rejected by the issuer, U could not be performed; `eci` as the scheme defines it. The proof
 * itself (the CAVV) stays with the acquirer.
 */
export type Authentication = {
  transStatus: "Y" | "A" | "N" | "R" | "U";
  eci?: string;
  dsTransId?: string;
};

export type EnrolmentOutcome =
  /** The browser has to post `fields` to `url`. */
  | { kind: "challenge"; session: string; url: string; fields: Record<string, string> }
  /** Without a challenge (Y), or the issuer or the card does not take part (A): to be completed immediately. */
  | { kind: "authenticated"; session: string; authentication: Authentication }
  /** Not authenticated and no way to become so; `resultCode` says why. */
  | (Declined & Authenticated)
  | Expired
  | Unknown
  | NotSent;

export type CompletionOutcome = ((Approved | Declined) & Authenticated) | Expired | Unknown | NotSent;

/** The result of the authentication, for an operation that had one. */
type Authenticated = { authentication?: Authentication };

/**
 * The reference is that of the authorization or the sale that is reversed. Amount and currency are those that the acquirer
 * approved, which may be less than was asked for; where nobody knows, those that were asked for.
 */
export type ReversalRequest = LastingCall & AcquirerAmount;

export type InquiryRequest = LastingCall;

export type Approved = AcquirerAmount & {
  kind: "approved";
  externalTransactionId: string;
  authCode: string;
  resultCode: string;
  resultMessage: string;
};

export type Declined = {
  kind: "declined";
  externalTransactionId?: string;
  resultCode: string;
  resultMessage: string;
};

/**
 * The acquirer refused the request as too late, without judging it: nothing was carried out, and nothing ever will be under
 * this reference. It is not a decline.
 */
export type Expired = { kind: "expired" };

/**
 * The request may have been carried out. The `reason` is for logs and metrics only:
 * `timeout` no whole answer in time; `connection_lost` cut after the request may have left; `invalid_answer` not an
 * answer of the protocol (garbage, HTTP 5xx, too large); `mismatch` another amount, currency or reference than asked for.
 */
export type Unknown = { kind: "unknown"; reason: UnknownReason };
export type UnknownReason = "timeout" | "connection_lost" | "invalid_answer" | "mismatch";

/**
 * No byte of this call left the machine: connection refused, name not found, TLS not established, each tried twice if
 * there was time; or our wait ended before a connection was free, or the adapter was closed.
 */
export type NotSent = { kind: "not_sent" };

export type AcquirerOutcome = Approved | Declined | Expired | Unknown | NotSent;

export type ReversalOutcome =
  /** No funds are, or ever will be, reserved or captured under the reference. */
  | { kind: "reversed" }
  /**
   * There is nothing to reverse at this moment, and the reference is not bound: the operation may still be under way and
   * take effect later.
   */
  | { kind: "nothing_found" }
  /** The money has been settled with its business day, so only a refund gives it back. */
  | { kind: "settled"; resultCode: string; resultMessage: string }
  /** Refused for any other reason: the operation stands. */
  | { kind: "refused"; resultCode: string; resultMessage: string }
  | Unknown
  | NotSent;

export type InquiryOutcome =
  /**
   * The operation took effect and no reversal undid it, in an amount that may be another than was asked for; a cancel or a release of it does not show here. `at` is the
   * acquirer's time of it. For a completion it includes the authentication's result, as evidence in a dispute.
   */
  | (Approved & Authenticated & { at: Date })
  | (Declined & Authenticated)
  /** The reference is bound by a reversal, which released the funds that it had reserved or captured, if any. */
  | { kind: "reversed" }
  /** The acquirer has never seen the reference; it may still be under way. */
  | { kind: "not_found" }
  | Expired
  | Unknown
  | NotSent;
