import type { Kind } from "./bank.ts";
import { OURS, type Ours } from "./ours.ts";

type Planted = {
  name: string;
  kind: Kind;
  ours: Partial<Ours>;
  what: string;
  trace: string[];
};

const KIND = { bindsUnseen: true, repetition: "replay" } as const;

/** Laws that hold at our simulator alone, and mistakes that reviews have found, each found again by its shortest way. */
export const PLANTED: Planted[] = [
  {
    name: "what the bank has not seen is sent again, wherever the first request is",
    kind: { bindsUnseen: true, repetition: "none" },
    ours: {
      movementOutcome: (inquiry, asked, sending) =>
        OURS.movementOutcome(inquiry, asked, sending, { repetition: "replay" }),
    },
    what: "a refund was paid twice",
    trace: [
      "payments sends the sale",
      "the bank approves the sale and is heard",
      "payments takes approved for the sale",
      "operators approve a refund",
      "refunds sends the refund",
      "refunds crashes",
      "the bank says not_found of the refund",
      "the bank pays the refund",
      "refunds sends the refund",
      "the bank pays the refund and is heard",
    ],
  },
  {
    name: "a reversal that found nothing is taken for one that binds",
    kind: { bindsUnseen: false, repetition: "replay" },
    ours: {
      decideAfterReversal: takingForReversed("nothing_found"),
    },
    what: "FAILED beside a charge",
    trace: [
      "the payment is unseen",
      "payments sends the sale",
      "payments crashes",
      "the bank says not_found of the sale",
      "payments sends the reverse",
      "the bank finds nothing to reverse and is heard",
      "the bank approves the sale",
      "payments takes nothing_found for the reverse",
      "the payment is FAILED",
    ],
  },
  {
    name: "a time-out is a decline",
    kind: KIND,
    ours: {
      decideAuthorization: (outcome) =>
        OURS.decideAuthorization(
          outcome.kind === "unknown" ? { kind: "declined", resultCode: "91", resultMessage: "" } : outcome,
        ),
    },
    what: "FAILED beside a charge",
    trace: [
      "payments sends the sale",
      "the bank approves half of the sale and is heard",
      "payments takes approved for the sale",
    ],
  },
  {
    name: "what is settled counts as reversed",
    kind: KIND,
    ours: {
      decideAfterReversal: takingForReversed("settled"),
    },
    what: "FAILED beside a charge",
    trace: [
      "payments sends the sale",
      "the bank approves half of the sale and is heard",
      "payments crashes",
      "the day closes",
      "the bank says approved of the sale",
      "payments sends the reverse",
      "the bank has settled the sale and is heard",
      "payments takes settled for the reverse",
      "the payment is FAILED",
    ],
  },
  {
    name: "a part that was approved is a success",
    kind: KIND,
    ours: {
      decideRecovery: (asked, inquiry, limits) =>
        OURS.decideRecovery(
          asked,
          inquiry.kind === "approved" ? { ...inquiry, amountMinor: asked.amountMinor } : inquiry,
          limits,
        ),
    },
    what: "SUCCESS without its charge",
    trace: [
      "payments sends the sale",
      "the bank approves half of the sale and is heard",
      "payments crashes",
      "the bank says approved of the sale",
    ],
  },
  {
    name: "a refund of a settled charge that was declined counts as paid",
    kind: KIND,
    ours: {
      decideAfterRefund: (outcome) =>
        OURS.decideAfterRefund(
          outcome.kind === "declined" ? { ...APPROVED, resultMessage: outcome.resultMessage } : outcome,
        ),
    },
    what: "FAILED beside a charge",
    trace: [
      "payments sends the sale",
      "the bank approves half of the sale and is heard",
      "payments crashes",
      "the day closes",
      "the bank says approved of the sale",
      "payments sends the reverse",
      "the bank has settled the sale and is heard",
      "payments takes settled for the reverse",
      "the bank says not_found of the undo",
      "payments sends the undo",
      "the bank declines the undo and is heard",
      "payments takes declined for the undo",
      "the payment is FAILED",
    ],
  },
  {
    name: "what the bank has not seen is never reversed",
    kind: KIND,
    ours: {
      decideRecovery: (asked, inquiry, limits) =>
        inquiry.kind === "not_found"
          ? { action: "wait", cause: "not_found" }
          : OURS.decideRecovery(asked, inquiry, limits),
    },
    what: "no end can be reached from here",
    trace: ["payments crashes"],
  },
];

const APPROVED = {
  kind: "approved",
  amountMinor: 10n,
  currency: "TRY",
  externalTransactionId: "t",
  authCode: "1",
  resultCode: "00",
} as const;

function takingForReversed(kind: "nothing_found" | "settled"): Ours["decideAfterReversal"] {
  return (reversal, ageMs, limits) =>
    OURS.decideAfterReversal(reversal.kind === kind ? { kind: "reversed" } : reversal, ageMs, limits);
}
