import type { Language } from "@holdfast/html";
import { TURKISH } from "./dispute-texts-tr.ts";

const ENGLISH = {
  dispute: "Dispute",
  openDisputes: "Open disputes",
  noDisputes:
    "No dispute matches. A chargeback in a bank's file opens one, and so does an operator over the API.",
  allMerchants: "All merchants",
  nextDisputes: "More disputes",
  deadline: "Evidence due",
  daysLeft: (days: number) => (days === 1 ? "1 day left" : `${days} days left`),
  lastDay: "Less than a day left",
  passed: "Deadline passed",
  notAnnounced: "not announced",
  kind: "Kind",
  reasonCode: "Reason code",
  bankReference: "The bank's case number",
  opened: "Opened",
  openedBy: "Opened by",
  byFile: "a line of a bank's file",
  reported: "In a bank's file",
  isReported: (reported: boolean): string => (reported ? "yes" : "not yet"),
  counted: "Counts against the payment",
  excess: "Already paid back",
  excessWhy: "The buyer may have this amount twice.",
  reversed: "Given back by the bank",
  decidedBy: "Decided by",
  ended: "Ended",
  file: "File",
  size: "Size",
  addedBy: "Added by",
  added: "Added",
  hash: "SHA-256",
  noEvidence: "No file yet.",
  addEvidence: "Add evidence",
  fileHint:
    "A receipt, a letter, a proof of delivery: at most 4 MiB. It is kept as it is, and cannot be removed.",
  addButton: "Add file",
  needFile: "Choose a file.",
  full: "the dispute has as many files as it can have",
  change: "Record what the bank says",
  changeButton: "Save",
  respondBy: "Evidence due",
  needChange: "Write what the bank says: a reason code, its case number or a deadline.",
  decide: "Record outcome",
  chooseOutcome: "Choose how it ended",
  outcomes: {
    WON: "Won: the money came back",
    LOST: "Lost or accepted: the money is gone",
    WITHDRAWN: "Withdrawn: there was no such dispute",
  },
  needOutcome: "Choose how the dispute ended.",
  proposed: (who: string, outcome: string) =>
    `${who} has stated: ${outcome}. A second person has to state the same.`,
  whyProposed: "you have stated it; now a second person has to",
  whyEnded: "it has ended",
};

export type DisputeTexts = typeof ENGLISH;

/** The texts of the pages about disputes. */
export const DISPUTE_TEXTS: Record<Language, DisputeTexts> = { en: ENGLISH, tr: TURKISH };
