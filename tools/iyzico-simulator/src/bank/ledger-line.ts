import type { ErrorCode } from "../wire/error-codes.ts";

/**
 * A line of the ledger file and of `GET /ledger`. It has all that is needed to rebuild the bank. Amounts are minor
 * units, which are far below 2^53 here.
 */
export type LedgerLine = {
  sequence: number;
  /** ISO 8601, UTC. */
  at: string;
  operation: "authorize" | "sale" | "capture" | "void" | "refund";
  /** The payment's conversationId, as the merchant sent it with the authorization or the sale. */
  orderId: string;
  /** The payment's id; for a void and a refund the id that the bank gave to it. */
  transactionId: string;
  amountMinor: number;
  currency: string;
  outcome: "approved" | "declined";
  /** First six and last four digits. */
  pan: string;
  merchantId: string;
  paymentId: string;
  basketId: string;
  /** The call's own conversationId. */
  conversationId: string;
  resultCode: ErrorCode | null;
  authCode: string;
  hostReference: string;
  /** Present on an authorization and a sale. */
  payment?: PaymentFacts;
  /** Present on an approved refund. */
  refunds?: { paymentTransactionId: string; refundTxId: string; amountMinor: number }[];
  /** Present on a refund: true if its payment had been settled. */
  isAfterSettlement?: boolean;
};

export type Entry = Omit<LedgerLine, "sequence">;

/** The bank's facts about a payment besides the line itself. */
export type PaymentFacts = {
  priceMinor: number;
  installment: number;
  fraudStatus: number;
  isThreeDs: boolean;
  mdStatus: string | null;
  refusesFollowUps: boolean;
  buyerId: string;
  ip: string;
  createdAt: string;
  items: ItemFacts[];
};

export type ItemFacts = { itemId: string; paymentTransactionId: string; priceMinor: number };
