import type { Capabilities } from "./capabilities.ts";

/**
 * The acquirer port: what Holdfast needs from a bank, in the bank's terms. Every adapter passes
 * `tests/conformance/every-adapter.test.ts`.
 *
 * A call that is sent twice under one `reference` is one operation only if the acquirer's capabilities say
 * so: see `Capabilities.repetition`. References begin with the payment's or the refund's id.
 *
 * No method throws because of the network or the bank. An uncertain outcome is `unknown`, and a time-out is
 * never a decline.
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
   * Reverses an authorization or a sale whose outcome is unknown, in the amount that the acquirer approved.
   * Some acquirers bind a reference that they have not seen (a tombstone), and refuse an authorization that
   * arrives later under it. That answer is `reversed`, too. Other acquirers answer `nothing_found`, which
   * proves nothing about a later arrival.
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
  /**
   * Checks that the browser's return comes from the acquirer and is about this payment, for adapters that can
   * check it without a call. The function is pure and runs before anything changes, so a forged return leaves
   * no trace on the payment. `complete` may still refuse a return that passed here. It makes this check
   * itself if the adapter has no `checkReturn`.
   */
  checkReturn?(request: ReturnCheck): NotGenuine | undefined;
  /**
   * The first field that the acquirer requires and that neither the request nor the account's defaults have,
   * such as `customer.email`; a pure function. Absent if the acquirer requires no field. A request that lacks
   * one is not sent.
   */
  missingField?(request: Pick<CardRequest, "customer" | "basket">): string | undefined;
  /** Asks for the acquirer's whole record of an order; `judge` derives the outcome of one attempt from it. */
  inquire(request: InquiryRequest): Promise<InquiryOutcome>;
  /** Lets the calls under way end, then closes pooled connections. Calls made afterwards are `not_sent`. */
  close(): Promise<void>;
}

/** An amount in minor units of an ISO 4217 currency. */
export type AcquirerAmount = { amountMinor: bigint; currency: string };

type Call = {
  /** Our reference, 1-128 characters of `[A-Za-z0-9:-]`; the idempotency key if the acquirer supports one. */
  reference: string;
  /**
   * The acquirer's name of the whole payment, the same in every call about it: see `orderIdOf`. Never used again, not even
   * after a decline.
   */
  orderId: string;
};

/** A call that takes money from a card: the buyer does not wait forever, so it must not begin late. */
type ExpiringCall = Call & {
  /**
   * The acquirer must not begin after this instant; also the end of our own wait. The end of the wait is not the end of
   * the operation: a call that it cuts off is `unknown`, or `not_sent` where it was still waiting to be sent.
   */
  expiresAt: Date;
};

/**
 * A call that is repeated until its outcome is known. The acquirer gets no expiry: a promise to a merchant is carried
 * out however late the acquirer reads it.
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
    /**
     * The card's programme, as the BIN table names it. Banks whose terminals belong to a programme have no field for it:
     * there the programme has chosen the account.
     */
    loyaltyCode?: string;
    customer?: Customer;
    basket?: readonly BasketItem[];
    /** A text for the acquirer's own reports. */
    description?: string;
    /** Absent for an ordinary payment that the cardholder makes on the internet. */
    initiator?: Initiator;
  };

/**
 * The party that began a payment, and how; `firstSchemeTransactionId` names the first payment of a series at the card
 * scheme.
 */
export type Initiator = {
  by: "cardholder" | "merchant";
  channel: "ecommerce" | "moto" | "recurring" | "unscheduled";
  firstSchemeTransactionId?: string;
};

/** The cardholder's browser, by the names and types of EMV 3-D Secure (EMVCo). */
export type Browser = {
  browserAcceptHeader: string;
  browserUserAgent: string;
  browserLanguage: string;
  browserJavascriptEnabled?: boolean;
  browserJavaEnabled?: boolean;
  browserColorDepth?: string;
  browserScreenHeight?: string;
  browserScreenWidth?: string;
  /** Minutes. */
  browserTZ?: string;
  challengeWindowSize?: string;
};

/** The buyer, as far as the merchant sent it; the account's defaults fill in fields that the acquirer requires. */
export type Customer = {
  /** The buyer's address as the gateway saw it, IPv4 or IPv6 text. */
  ip?: string;
  id?: string;
  name?: string;
  surname?: string;
  email?: string;
  /** E.164. */
  phone?: string;
  identityNumber?: string;
  billingAddress?: Address;
  shippingAddress?: Address;
};

/** `country` is a name or an ISO 3166-1 code, as the merchant wrote it. */
export type Address = {
  contactName?: string;
  line1: string;
  line2?: string;
  city: string;
  postalCode?: string;
  country: string;
};

/** The amounts of a basket add up to the payment's. */
export type BasketItem = {
  id: string;
  name: string;
  category: string;
  kind: "physical" | "virtual";
  amountMinor: bigint;
};

/** Plain card data, in memory only for the length of one call. */
export type AcquirerCard = { pan: string; expiryMonth: string; expiryYear: string; cvv: string };

/**
 * `parentReference` is the reference of the authorization or the sale, also for a refund after a capture. The amount of
 * a cancel is the parent's whole amount, less its releases.
 */
export type FollowUpRequest = LastingCall &
  AcquirerAmount & {
    parentReference: string;
    target: Target;
    isRepeated?: Repeated;
    /** The address of the requesting person, which some acquirers require in every call. */
    requestIp?: string;
  };

/**
 * True for a repetition of a call whose first answer is uncertain and about which the acquirer has been asked
 * since: the record shows everything that the first call did.
 */
type Repeated = true;

/** The movement that a follow-up or a reversal is about, as the acquirer named it. */
export type Target = {
  /** Absent if the answer was lost and no inquiry has shown the id. An adapter that needs the id inquires first. */
  externalTransactionId?: string;
  /** The authorized or sold amount. */
  amountMinor: bigint;
  /** The amount captured so far, if the capture was a separate step. */
  capturedMinor?: bigint;
  /** The number of installments in the movement's call. */
  installmentCount?: number;
  /** The time at which the movement's call was sent. */
  at: Date;
};

/** The operation to carry out once the cardholder is authenticated. */
export type CardOperation = "authorize" | "sale";

export type EnrolmentRequest = CardRequest & {
  operation: CardOperation;
  /**
   * The address for the cardholder's browser after the challenge, by GET or POST of a form, with fields that the
   * acquirer adds.
   */
  returnUrl: string;
  browser?: Browser;
  /** The challenge has to be passed before this instant. */
  sessionExpiresAt: Date;
};

/** Reference, order, operation, amount, currency and instalments are the enrolment's. */
export type CompletionRequest = ExpiringCall &
  AcquirerAmount & {
    operation: CardOperation;
    installmentCount: number;
    session: string;
    /** The return of the cardholder's browser; absent if no challenge was shown. */
    returned?: BrowserReturn;
    customer?: Customer;
  };

/** A return that is to be completed. */
export type ReturnCheck = Omit<CompletionRequest, "expiresAt" | "customer">;

/** The fields of a browser's return as they came, with their order and repetitions: a signature covers them. */
export type BrowserReturn = { fields: readonly (readonly [name: string, value: string])[] };

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

/**
 * The content for the cardholder's browser: a form that is posted to `url`, or a page of the acquirer's own. Neither
 * carries card data, so both may be kept until the challenge has ended. The page is shown without the powers of our
 * origin.
 */
export type Challenge =
  | { type: "post"; url: string; fields: Record<string, string> }
  | { type: "html"; html: string };

export type EnrolmentOutcome =
  /** `session` is a value that the completion has to repeat: opaque, at most 2 000 characters, without card data. */
  | { kind: "challenge"; session: string; challenge: Challenge }
  /** No challenge is needed (Y), or the issuer or the card does not take part (A): to be completed immediately. */
  | { kind: "authenticated"; session: string; authentication: Authentication }
  /** The cardholder is not authenticated and cannot become so; `resultCode` says why. */
  | (Declined & Authenticated)
  | Expired
  | Unknown
  | NotSent;

export type CompletionOutcome =
  | ((Approved | Declined) & Authenticated)
  | NotGenuine
  | Expired
  | Unknown
  | NotSent;

/**
 * The browser's return does not prove that it comes from the acquirer and is about this payment. Nothing was
 * sent or changed, and the cardholder may still come back with a genuine return.
 */
export type NotGenuine = {
  kind: "not_genuine";
  why: "signature" | "no_signature" | "other_order" | "other_amount" | "other_account";
};

/** The result of the authentication, for an operation that had one. */
type Authenticated = { authentication?: Authentication };

/**
 * `reference` names the authorization or the sale to reverse. Amount and currency are those that the acquirer
 * approved, which may be less than was requested. They are the requested ones if the approved ones are
 * unknown.
 */
export type ReversalRequest = LastingCall &
  AcquirerAmount & { operation: CardOperation; target: Target; isRepeated?: Repeated };

export type InquiryRequest = LastingCall & {
  /** The operation that was requested under the reference. */
  kind: MovementKind;
  currency: string;
  /**
   * The operation with which the payment began: some acquirers do not distinguish a sale from a captured
   * authorization.
   */
  operation?: CardOperation;
  /** The acquirer's id of the payment, where it is known. */
  externalTransactionId?: string;
};

export type Approved = AcquirerAmount & {
  kind: "approved";
  externalTransactionId: string;
  authCode: string;
  resultCode: string;
  resultMessage: string;
  /** The acquirer's fee for the payment, in minor units of the same currency, where it is reported. */
  feeMinor?: bigint;
  fraudReview?: FraudReview;
  /** A refund was carried out by voiding the whole payment: the acquirer reports no refund of it. */
  asVoid?: true;
  /**
   * The void of a captured payment has made its hold valid again, and the acquirer refuses to void that, too: people have it
   * released.
   */
  holdStands?: true;
};

/**
 * The verdict of the acquirer's fraud desk on a payment that its issuer approved. `in_review`: undecided; the
 * goods must not be sent yet. `rejected`: refused. The verdict does not move money: a captured amount stays
 * captured until a void or a refund is shown.
 */
export type FraudReview = "accepted" | "in_review" | "rejected";

/**
 * `soft` may succeed later or at another account. `hard` will not succeed with this card or these card data,
 * such as a wrong security code. `sca_required` needs 3-D Secure. `stolen` is a lost, stolen or blocked card.
 * `limit` is the card's balance or limit. `technical` was refused before the issuer judged it.
 */
export type DeclineClass = "soft" | "hard" | "sca_required" | "stolen" | "limit" | "technical";

export type Declined = {
  kind: "declined";
  declineClass?: DeclineClass;
  /**
   * The cancel comes after the business day, and the acquirer no longer voids the payment. An authorization
   * then expires by itself.
   */
  isTooLate?: true;
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
 * The request may have been carried out. `reason` is for logs and metrics only. `timeout`: no whole answer in
 * time. `connection_lost`: the connection broke after the request may have left. `invalid_answer`: not an
 * answer of the protocol (garbage, HTTP 5xx, too large). `mismatch`: another amount, currency or reference
 * than was sent. `pending`: accepted, and the result comes later.
 */
export type Unknown = {
  kind: "unknown";
  reason: UnknownReason;
  /**
   * The approval with which the acquirer answered the call itself, where its record does not show it, or shows another
   * amount, which is then the approval's. Something has moved under this name, however long the record is behind.
   */
  heard?: Approved;
  /** Set as for an approval: the refund itself may be paid, since its answer was lost. */
  holdStands?: true;
};
export type UnknownReason = "timeout" | "connection_lost" | "invalid_answer" | "mismatch" | "pending";

/**
 * Nothing of this call was carried out. Without a `reason` no byte left the machine: connection refused, name
 * not found or TLS not established, each tried twice if there was time; or no connection was free in time; or
 * the adapter was closed. `credentials`: the acquirer refuses our user or password. `day_not_ended`: it
 * accepts the call only after `notBefore`, the end of its business day. `limit`: it accepts no more calls
 * before `notBefore`. `unsupported`: it has no such operation. `no_record`: it shows no order that it has
 * approved, so a lost answer could never be found again.
 */
export type NotSent = {
  kind: "not_sent";
  reason?: "credentials" | "day_not_ended" | "limit" | "unsupported" | "no_record";
  notBefore?: Date;
};

export type AcquirerOutcome = Approved | Declined | Expired | Unknown | NotSent;

export type ReversalOutcome =
  /**
   * No funds are reserved or captured under the reference, nor ever will be. `isHidden`: the movement was
   * reversed by its name, and the acquirer's record does not show it yet, so the record may hide more.
   */
  | { kind: "reversed"; isHidden?: true }
  /**
   * There is nothing to reverse now, and the reference is not bound: the operation may still be under way and
   * take effect later.
   */
  | { kind: "nothing_found" }
  /** The money has been settled with its business day, so only a refund gives it back. */
  | { kind: "settled"; resultCode: string; resultMessage: string }
  /** Refused for any other reason: the operation stands. */
  | { kind: "refused"; resultCode: string; resultMessage: string }
  | Unknown
  | NotSent;

/** One movement of an order, as the acquirer reports it. */
export type BankMovement = AcquirerAmount & {
  kind: MovementKind;
  /**
   * `voided`: it took effect and was reversed. `bound`: a reversal has bound our reference, and nothing takes
   * effect under it. `pending`: accepted, and the result comes later.
   */
  state: "approved" | "declined" | "voided" | "bound" | "expired" | "pending";
  /** Our reference, only where the acquirer gives it back for this kind: see `Capabilities.ownReferenceOn`. */
  ownReference?: string;
  externalTransactionId?: string;
  authCode?: string;
  /** The reference that the cardholder's and the merchant's statements show. */
  hostReference?: string;
  resultCode: string;
  resultMessage: string;
  /** Present only on a movement that took effect. */
  fraudReview?: FraudReview;
  authentication?: Authentication;
};

export type MovementKind = CardOperation | "capture" | "void" | "release" | "refund";

export type InquiryOutcome =
  | { kind: "found"; movements: readonly BankMovement[] }
  /** The acquirer does not know the order; a call of it may still be on its way. */
  | { kind: "not_found" }
  | Unknown
  | NotSent;
