import type { Language } from "@holdfast/html";
import { TURKISH } from "./overview-texts-tr.ts";

const ENGLISH = {
  today: "Today, in figures",
  volume: (currency: string) => `Volume by hour (UTC), ${currency}`,
  approval: "Approval rate by bank",
  unknown: "Payments of unknown outcome, by age",
  queue: "Refunds that wait for a decision, by age",
  failing: "Webhook endpoints that fail",
  newest: (count: number) => `Only the newest ${count} are counted.`,
  rows: "Figures",
  figure: "Number",
  noPayments: "No payment today yet. The hours appear with the first one.",
  noDecided: "No bank has answered a payment today.",
  noUnknown: "No outcome is unknown.",
  noQueue: "No refund waits.",
  ownAccount: "Installation's own account",
  accountOf: (id: string) => `Account ${id}`,
  approvedOf: (approved: number, all: number) => `${approved} of ${all}`,
  others: (text: string) => `Other currencies: ${text}.`,
  ages: ["under 1 hour", "1 to 4 hours", "4 to 24 hours", "over 24 hours"],
};

export type OverviewTexts = typeof ENGLISH;

/** The texts of the overview's figures. */
export const OVERVIEW_TEXTS: Record<Language, OverviewTexts> = { en: ENGLISH, tr: TURKISH };
