import type { Known } from "./payment-records.ts";

/** An address, or a QR code, that buyers pay at without a call of your server for each. */
export type PaymentLink = {
  /** A secret that is enough to pay. */
  paymentLinkId: string;
  /** The link itself. */
  paymentLinkUrl: string;
  /** `false` for what was made with a test key: no money has moved. */
  livemode: boolean;
  status: Known<PaymentLinkStatus>;
  /** The order of the payment; a link for many adds a part of the checkout's id to it for each order. */
  orderId: string;
  /** The goods, as the buyer reads it. */
  description: string;
  amount: number;
  currency: string;
  installmentOptions: number[];
  threeDs: boolean;
  returnUrl?: string;
  use: Known<"SINGLE" | "MULTIPLE">;
  createdAt: string;
  /** The time after which the link accepts no new payment. */
  expiresAt: string;
  disabledAt?: string;
};

/** `USED`: a link for one payment was paid. `DISABLED`: the merchant has ended it. */
export type PaymentLinkStatus = "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
