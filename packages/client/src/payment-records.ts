/**
 * The gateway's answers. A later gateway may have more codes and more fields than this client knows: a code stays the
 * string that it is, and further fields are present, too.
 */

/** A value of the list, or one that this version does not know. The intersection keeps an editor's suggestions. */
export type Known<Code extends string> = Code | (string & {});

export type PaymentStatus =
  | "SUCCESS"
  | "FAILED"
  | "ENROLLED"
  | "REJECTED"
  | "CANCELLED"
  | "PENDING_APPROVAL"
  | "CAPTURED";

export type TransactionType = "PRE_AUTHORIZATION" | "PAYMENT" | "REFUND";

/** The merchant's own fields: sent with a payment, and shown as they were sent. */
export type MerchantFields = { customerId?: string };

/** A payment or a refund. Fields without a value are absent. Amounts are major units; see `toMinorUnits`. */
export type Payment = MerchantFields & {
  paymentId: string;
  /** The refunded payment; present on refunds. */
  parentPaymentId?: string;
  /** `false` for what was made with a test key: no money has moved. */
  livemode: boolean;
  orderId: string;
  /** The authorized amount, or the amount of the refund; with `installmentTotal`, the price of the order. */
  amount: number;
  capturedAmount?: number;
  installmentCount: number;
  /** The whole amount that the card is charged, where the request had it. Refunds and settlements are about this amount. */
  installmentTotal?: number;
  /** ISO 4217. */
  currency: string;
  merchantCommission: number;
  status: Known<PaymentStatus>;
  /** The time since which the record is in this state (ISO 8601, UTC). */
  statusDate?: string;
  /** The higher version of two webhooks about one payment is the later state. */
  version?: number;
  transactionType?: Known<TransactionType>;
  paymentDate: string;
  cardHolderName: string;
  /** Masked: `411111******1111`. */
  pan: string;
  domInt?: Known<"DOM" | "INT">;
  cardScheme?: string;
  cardType?: string;
  cardSubType?: string;
  loyaltyCode?: string;
  externalTransactionId?: string;
  authCode?: string;
  resultCode?: string;
  resultMessage?: string;
  /**
   * Kind of the bank's decline, if its code reveals it. With `hard` and `stolen` another attempt with this
   * card cannot succeed.
   */
  declineClass?: Known<"soft" | "hard" | "sca_required" | "stolen" | "limit" | "technical">;
  lastOperation?: LastOperation;
  capturedAt?: string;
  cancelledAt?: string;
  /** The `reason` of the call of `cancel`. */
  cancelReason?: string;
  /**
   * The sum of completed refunds. Like the next two fields it is present only on a payment with such refunds.
   */
  refundedAmount?: number;
  /** The sum of refunds that have not ended and may still be paid. */
  pendingRefundAmount?: number;
  /** The sum of chargebacks. */
  chargedBackAmount?: number;
  refundableAmount?: number;
};

/** The latest capture, cancellation or expiry of a payment; `PENDING` while the bank's answer is unknown. */
export type LastOperation = {
  type: Known<"CAPTURE" | "CANCEL" | "EXPIRY">;
  status: Known<"PENDING" | "DONE" | "DECLINED">;
  amount: number;
  resultCode?: string;
  at: string;
};

/** A payment with 3-D Secure, with the way to its challenge while the buyer has to pass one. */
export type ThreeDsPayment = Payment & {
  /** Send the buyer's browser here, */
  redirectUrl?: string;
  /** or show this page, which is in base64. */
  htmlContent?: string;
  /** The end of the challenge; afterwards the payment is CANCELLED. */
  expiresAt?: string;
};
