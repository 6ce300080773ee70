import type { ItemFacts } from "./ledger-line.ts";
import type { CardPlan } from "./test-cards.ts";

/**
 * A line of the file next to the ledger: an answer of the bank that moves no money. It is not in the ledger, because
 * that has operations only.
 */
export type EventLine = { sequence: number; at: string } & BankEvent;

export type BankEvent = ThreeDsStarted | ThreeDsReturned | DayClosed;

/** A 3-D Secure payment has begun. Amounts are minor units, and the card is masked. */
export type ThreeDsStarted = {
  kind: "three_ds_started";
  token: string;
  callbackUrl: string;
  conversationData: string;
  plan: CardPlan;
  paymentId: string;
  merchantId: string;
  conversationId: string;
  basketId: string;
  operation: "authorize" | "sale";
  currency: string;
  priceMinor: number;
  paidPriceMinor: number;
  installment: number;
  pan: string;
  items: ItemFacts[];
  buyerId: string;
  ip: string;
};

/** The cardholder's bank has sent the browser back. */
export type ThreeDsReturned = {
  kind: "three_ds_returned";
  paymentId: string;
  status: "success" | "failure";
  mdStatus: string;
};

/** A business day was closed after the ledger's line `throughSequence`. */
export type DayClosed = { kind: "day_closed"; throughSequence: number };
