import type { Known, Payment } from "./payment-records.ts";

/** A hosted page on which a buyer pays one order. */
export type Checkout = {
  /** A secret that is enough to pay: give it to the buyer only. */
  checkoutId: string;
  checkoutUrl: string;
  status: Known<CheckoutStatus>;
  /** `false` for what was made with a test key: no money has moved. */
  livemode: boolean;
  orderId: string;
  amount: number;
  currency: string;
  customerId?: string;
  transactionType: Known<"PAYMENT" | "PRE_AUTHORIZATION">;
  installmentOptions: number[];
  /** Present if the buyer pays for installments by your account's prices. */
  installmentPrices?: boolean;
  threeDs: boolean;
  /** Absent if a payment link has no return URL. */
  successUrl?: string;
  failureUrl?: string;
  /** The payment link from which it was created. */
  paymentLinkId?: string;
  createdAt: string;
  expiresAt: string;
  closedAt?: string;
  /** The installments that the buyer chose on the page for the latest payment, if it is more than one. */
  installments?: { count: number; firstAmount: number; furtherAmount: number };
  /** The payment that completed the checkout, or the last attempt. */
  payment?: Payment;
};

export type CheckoutStatus = "OPEN" | "COMPLETED" | "EXPIRED" | "CANCELLED";

/** The card's data by its first digits. */
export type BinInfo = {
  bin: string;
  cardScheme: string;
  cardType: Known<"CREDIT" | "DEBIT" | "PREPAID">;
  cardSubType?: string;
  issuer?: string;
  country: string;
  domInt: Known<"DOM" | "INT">;
  loyaltyCode?: string;
  installmentCounts: number[];
  /** The total and each part for every offered number of installments; only for a checkout with an order. */
  installments?: { installmentCount: number; installmentTotal: number; parts: number[] }[];
};
