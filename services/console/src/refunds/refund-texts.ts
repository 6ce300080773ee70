import type { Language } from "@holdfast/html";
import { TURKISH } from "./refund-texts-tr.ts";

const refunds = (count: number) => (count === 1 ? "1 refund" : `${count} refunds`);

const ENGLISH = {
  pendingPart: "Pending",
  refundedPart: "Refunded",
  disputedPart: "Disputed",
  ofPayment: "Of payment",
  takenAlready: "Already taken",
  select: "Select",
  selectOrder: (order: string) => `Select order ${order}`,
  selectAll: "Select all",
  decideSelected: "Decide about the selection",
  selectHint: "Select the refunds to decide about.",
  selectedSum: (count: string, sum: string) => `${count} selected: ${sum}`,
  selected: "Selected refunds",
  decideTitle: (count: number, sum: string) => `Decide about ${refunds(count)}: ${sum}`,
  approveAll: (count: number, sum: string) => `Approve ${refunds(count)}: ${sum}`,
  rejectAll: (count: number) => `Reject ${refunds(count)}`,
  notDecidable: (count: number) => `${count} of the selected refunds cannot be decided`,
  decidedOf: (count: number, all: number) => `${count} of ${all} were decided.`,
  notSent: (count: number) => `${count} more were not sent to the gateway.`,
  backToQueue: "Back to the refunds",
  noRefundMatches: "No refund matches. Widen the filters.",
};

export type RefundTexts = typeof ENGLISH;

/** The texts of the refunds that wait and of decisions about several. */
export const REFUND_TEXTS: Record<Language, RefundTexts> = { en: ENGLISH, tr: TURKISH };
