import type { ErrorCode } from "../wire/error-codes.ts";
import type { CardPlan } from "./test-cards.ts";

/** Amounts are minor units. Times are ISO 8601 in UTC. */
export type Payment = {
  /** Digits. */
  paymentId: string;
  merchantId: string;
  /** The merchant's id for the payment; several payments may have the same one. */
  conversationId: string;
  basketId: string;
  operation: "authorize" | "sale";
  currency: string;
  priceMinor: bigint;
  /** The card's amount; after a capture, the captured one. */
  paidPriceMinor: bigint;
  installment: number;
  /** First six and last four digits. */
  pan: string;
  items: PaymentItem[];
  buyerId: string;
  ip: string;
  createdAt: string;
  /** Undefined where it came without 3-D Secure. */
  threeDs: ThreeDs | undefined;
  /** `initialized` and `returned` are the steps of 3-D Secure before any money moves. */
  state: "initialized" | "returned" | "declined" | "approved";
  resultCode: ErrorCode | null;
  authCode: string;
  hostReference: string;
  /** 1 accepted, 0 in review, -1 refused. */
  fraudStatus: number;
  isCaptured: boolean;
  cancel: Cancel | undefined;
  /** True once the business day of its authorization, sale or capture is closed; captured money is settled then. */
  isDayOver: boolean;
  /** The ledger's sequence of that authorization, sale or capture; 0 before it. */
  daySequence: number;
  refusesFollowUps: boolean;
};

export type PaymentItem = {
  itemId: string;
  paymentTransactionId: string;
  priceMinor: bigint;
  paidPriceMinor: bigint;
  refunds: Refund[];
};

/** The refund of one item. */
export type Refund = {
  refundTxId: string;
  conversationId: string;
  amountMinor: bigint;
  at: string;
  authCode: string;
  hostReference: string;
  isAfterSettlement: boolean;
};

export type Cancel = {
  refundId: string;
  conversationId: string;
  amountMinor: bigint;
  at: string;
  authCode: string;
  hostReference: string;
};

/** The authentication of a payment. The card's number is not kept: its plan says how it will behave. */
export type ThreeDs = {
  /** Names the session in the browser. */
  token: string;
  callbackUrl: string;
  conversationData: string;
  plan: CardPlan;
  /** The return's status; null while the cardholder has not answered. */
  mdStatus: string | null;
  returnStatus: "success" | "failure" | null;
};

export type Phase = "AUTH" | "PRE_AUTH" | "POST_AUTH";

export function phaseOf({ operation, isCaptured }: Payment): Phase {
  if (operation === "sale") return "AUTH";
  return isCaptured ? "POST_AUTH" : "PRE_AUTH";
}

export function isMoneyTaken(payment: Payment): boolean {
  return payment.state === "approved" && !payment.cancel && phaseOf(payment) !== "PRE_AUTH";
}

export function refundedOf(item: PaymentItem): bigint {
  return item.refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

export function refundableOf(payment: Payment): bigint {
  return payment.items.reduce((sum, item) => sum + item.paidPriceMinor - refundedOf(item), 0n);
}

/** True if a cardholder's bank has ended the authentication without one. */
export function isAuthenticationFailed({ state, threeDs }: Payment): boolean {
  return state === "returned" && threeDs?.returnStatus === "failure";
}
