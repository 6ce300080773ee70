import type { MerchantFields } from "@holdfast/contracts";
import type { Language } from "@holdfast/html";
import { TURKISH } from "./payment-texts-tr.ts";

const ENGLISH = {
  keptPart: "Kept",
  reservedPart: "Reserved, not captured",
  beyond: (amount: string) => `Refunds and disputes have taken ${amount} more than was charged.`,
  nextStep: "Next step",
  outcomeUnknown: "Outcome unknown",
  overdue: "Overdue",
  refundPending: "Refund pending",
  decideRefund: (amount: string) => `Decide about the refund of ${amount}`,
  answerDispute: (amount: string) => `Answer the dispute of ${amount}`,
  workOnDifference: "Work on the difference",
  installments: "Installments",
  installmentTotal: "Charged with installments",
  commission: "Commission",
  buyerAddress: "Buyer's address",
  type: "Type",
  sale: "Sale",
  preAuthorization: "Pre-authorization",
  sold: "Sold: success or captured",
  answered: "Answered by the bank",
  /** The merchant's own fields of a payment. */
  merchantFields: { customerId: "Customer" } satisfies Record<keyof MerchantFields, string>,
  amountFrom: "Amount from",
  amountTo: "Amount to",
  currency: "Currency",
  account: "Account at the bank",
  bankOrder: "Order at the bank",
  captureQuestion: (amount: string, all: string) => `Capture ${amount} of ${all}?`,
  captureAtMost: (most: string) => `At most ${most} can be captured.`,
  captureOnce: "A payment is captured once. The bank releases the rest.",
  backToPayment: "Back to the payment",
};

export type PaymentTexts = typeof ENGLISH;

/** The texts of a payment's case file and of the list's further filters. */
export const PAYMENT_TEXTS: Record<Language, PaymentTexts> = { en: ENGLISH, tr: TURKISH };
