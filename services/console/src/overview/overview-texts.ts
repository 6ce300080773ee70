import type { Language } from "@holdfast/html";
import { TURKISH } from "./overview-texts-tr.ts";

const ENGLISH = {
  today: "Sales of today (UTC)",
  inFigures: "By hour and by bank",
  ages: "How long it waits",
  volume: (currency: string) => `Volume by hour (UTC), ${currency}`,
  approval: "Approval rate by bank",
  unknown: "Payments of unknown outcome, by age",
  queue: "Refunds that wait for a decision, by age",
  failing: "Webhook endpoints that fail",
  proposals: "Waits for a second person",
  noProposals: "Nothing that you may decide waits for a second person.",
  nextProposals: "Next that wait for a second person",
  about: "Merchant or account",
  proposedBy: "First person",
  since: "Since",
  proposalKinds: {
    ACCOUNT_CHANGE: "Bank account: a new one, or a change",
    ROUTES: "Routes of a merchant",
    PAYMENT_OUTCOME: "Outcome of a payment",
    CHARGEBACK_OUTCOME: "Outcome of a dispute",
    REFUND_APPROVAL: "Second approval of a refund",
    REFUND_OUTCOME: "Outcome of a refund",
    DIFFERENCE: "End of a difference",
    SETTLEMENT_FILE: "File of a bank",
  },
  noFigures: "The sums of today are not there at the moment. Try again in a moment.",
  soFar: "Today",
  yesterday: "Yesterday",
  lastWeek: "A week ago",
  yesterdayByNow: "Yesterday by this time",
  lastWeekByNow: "A week ago by this time",
  yesterdayWhole: "Yesterday, whole day",
  hour: "Hour (UTC)",
  legend: "Filled: today. Outlined: yesterday.",
  allBanks: "All banks",
  newest: (count: number) => `Only the ${count} that have waited longest are counted.`,
  rows: "Figures",
  figure: "Number",
  noPayments: "No payment in these days yet. The sums appear with the first one.",
  noDecided: "No bank has answered a payment today.",
  noUnknown: "No outcome is unknown.",
  noQueue: "No refund waits.",
  owed: "What you are owed, by day of settlement",
  moreOwed: "Later days have more than this page reads. Open the statements to see them all.",
  nothingOwed: "The banks have reported nothing for these days yet.",
  final: "final",
  approvedOf: (approved: number, all: number) => `${approved} of ${all}`,
  ageGroups: ["under 1 hour", "1 to 4 hours", "4 to 24 hours", "over 24 hours"],
};

export type OverviewTexts = typeof ENGLISH;

/** The texts of the overview's figures. */
export const OVERVIEW_TEXTS: Record<Language, OverviewTexts> = { en: ENGLISH, tr: TURKISH };
