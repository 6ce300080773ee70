/** The card of a payment: the card itself, or the `md` of a 3-D Secure return with its further fields. */
export type PaymentCard =
  | { kind: "pan"; pan: string; expiryMonth: number; expiryYear: number; cvv: string }
  | { kind: "md"; md: string; xid: string; eci: string; cavv: string };

/** Auth (a sale) or PreAuth (a hold). An empty order id lets the bank make one. */
export type PaymentRequest = {
  operation: "authorize" | "sale";
  orderId: string;
  groupId: string;
  amountMinor: bigint;
  /** ISO 4217 letters. */
  currency: string;
  /** 1 where it is paid in one. */
  installments: number;
  /** True if one installment was named instead of none. */
  namesOne: boolean;
  card: PaymentCard;
};

/** PostAuth. Without an amount it captures the whole hold. */
export type CaptureRequest = {
  operation: "capture";
  orderId: string;
  amountMinor: bigint | undefined;
  currency: string | undefined;
  /** PREAMT: the hold's amount, sent by those who may exceed it. */
  holdMinor: bigint | undefined;
};

/** Void; the TransId decides where both are there. */
export type VoidRequest = { operation: "void"; orderId: string; transactionId: string };

/** Credit. */
export type CreditRequest = {
  operation: "refund";
  orderId: string;
  amountMinor: bigint;
  currency: string | undefined;
};

export type MoneyRequest = PaymentRequest | CaptureRequest | VoidRequest | CreditRequest;
