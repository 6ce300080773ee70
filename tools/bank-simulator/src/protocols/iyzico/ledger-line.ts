import type { LedgerRow, Posting, Uncalled } from "../../core/index.ts";
import type { CardPlan } from "./cards.ts";
import type { ErrorCode } from "./wire/error-codes.ts";

/** A call that the bank judged. Amounts are minor units, which are far below 2^53 here. */
export type Entry = {
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
  /** Present if the bank has carried out another amount than the requested one. */
  requestedMinor?: number;
  /** Present on an authorization and a sale. */
  payment?: PaymentFacts;
  /** Present on an approved refund. */
  refunds?: { paymentTransactionId: string; refundTxId: string; amountMinor: number }[];
  /** Present on a refund: true if its payment had been settled. */
  isAfterSettlement?: boolean;
  uncalled?: Uncalled;
};

/** A line of the ledger file and of `GET /ledger`. */
export type LedgerLine = Entry & LedgerRow;

/** The bank's facts about a payment besides the line itself. */
export type PaymentFacts = {
  priceMinor: number;
  installment: number;
  /** 1 accepted, 0 in review, -1 refused. */
  fraudStatus: number;
  isThreeDs: boolean;
  mdStatus: string | null;
  /** True if its card's payments can be neither cancelled nor refunded nor captured. */
  refusesFollowUps: boolean;
  buyerId: string;
  ip: string;
  createdAt: string;
  items: { itemId: string; paymentTransactionId: string; priceMinor: number }[];
};

/**
 * The line of an authorization or a sale, or, after only the first half of 3-D Secure, the parts that it will
 * have.
 */
export type PaymentLine = Omit<Entry, "outcome" | "payment"> & {
  outcome: Entry["outcome"] | "started";
  payment: PaymentFacts;
};

/** A step of 3-D Secure. It moves no money, so it is not in the ledger. */
export type Event = ThreeDsStarted | ThreeDsReturned;

export type ThreeDsStarted = {
  kind: "started";
  /** Names the session in the browser. */
  token: string;
  callbackUrl: string;
  conversationData: string;
  /** The card's behaviour, as its number is not kept. */
  plan: CardPlan;
  line: PaymentLine;
};

/** The cardholder's bank has sent the browser back. */
type ThreeDsReturned = {
  kind: "returned";
  token: string;
  status: "success" | "failure";
  mdStatus: string;
};

/** The book's orders are payments, whose captures keep their names. */
export function postingOf(line: Entry): Posting {
  const { operation, paymentId } = line;
  return {
    operation,
    merchant: line.merchantId,
    order: paymentId,
    id: line.transactionId,
    of: operation === "capture" || operation === "void" ? paymentId : undefined,
    amountMinor: BigInt(line.amountMinor),
    currency: line.currency,
    isApproved: line.outcome === "approved",
    atMs: Date.parse(line.at),
  };
}
