import type { Known } from "./payment-records.ts";

/** An address, or a QR code, that buyers pay at without a call of your server for each. */
export type PaymentLink = {
  /** Whoever knows it can pay. */
  paymentLinkId: string;
  /** The link itself. */
  paymentLinkUrl: string;
  /** `false` for what was made with a test key: no money has moved. */
  livemode: boolean;
  status: Known<PaymentLinkStatus>;
  /** Of the payment; of a link for many, the order of each is this and a part of its checkout's id. */
  orderId: string;
  /** What is paid for, as the buyer reads it. */
  description: string;
  amount: number;
  currency: string;
  installmentOptions: number[];
  threeDs: boolean;
  returnUrl?: string;
  use: Known<"SINGLE" | "MULTIPLE">;
  createdAt: string;
  /** Nobody can begin to pay after this time. */
  expiresAt: string;
  disabledAt?: string;
};

/** `USED`: a link for one payment was paid. `DISABLED`: you have ended it. */
export type PaymentLinkStatus = "ACTIVE" | "USED" | "EXPIRED" | "DISABLED";
