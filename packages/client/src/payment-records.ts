/**
 * What the gateway answers with. A later gateway may have more codes and more fields than this client knows: a code
 * stays the string that it is, and further fields are present, too.
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

/** A payment or a refund. Fields without a value are absent. Amounts are major units; see `toMinorUnits`. */
export type Payment = {
  paymentId: string;
  /** The refunded payment; present on refunds. */
  parentPaymentId?: string;
  /** `false` for what was made with a test key: no money has moved. */
  livemode: boolean;
  orderId: string;
  /** What was authorized, or the amount of the refund. */
  amount: number;
  capturedAmount?: number;
  installmentCount: number;
  /** ISO 4217. */
  currency: string;
  merchantCommission: number;
  status: Known<PaymentStatus>;
  /** Since when the record is in this state (ISO 8601, UTC). */
  statusDate?: string;
  /** Of two webhooks about one payment, the higher version is the later state. */
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
  /** Kind of the bank's decline, where its code tells; with `hard` and `stolen` another attempt with this card cannot succeed. */
  declineClass?: Known<"soft" | "hard" | "sca_required" | "stolen" | "limit" | "technical">;
  customerId?: string;
  lastOperation?: LastOperation;
  capturedAt?: string;
  cancelledAt?: string;
  /** The `reason` of the call of `cancel`. */
  cancelReason?: string;
  /** What refunds have given back; present, as the next two, on a payment that has such refunds. */
  refundedAmount?: number;
  /** What refunds that have not ended may still give back. */
  pendingRefundAmount?: number;
  /** What chargebacks have taken. */
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

/** A payment with 3-D Secure. While the buyer has to pass a challenge, it says how to get there. */
export type ThreeDsPayment = Payment & {
  /** Send the buyer's browser here, */
  redirectUrl?: string;
  /** or show this page, which is in base64. */
  htmlContent?: string;
  /** When the challenge ends; afterwards the payment is CANCELLED. */
  expiresAt?: string;
};
