import {
  movementOutcome,
  type AcquirerOutcome,
  type Capabilities,
  type Verdict,
  type ReversalOutcome,
} from "@holdfast/acquirer";
import { decideRecovery } from "../../services/payments/src/recovery/decide-recovery.ts";
import {
  decideAfterRefund,
  decideAfterReversal,
  isUndone,
} from "../../services/payments/src/recovery/decide-undo.ts";
import { decideAuthorization } from "../../services/payments/src/payment/authorization-outcome.ts";
import { AMOUNTS, type Amount, type Answer } from "./bank.ts";
import type { Age, Sent } from "./world.ts";

/** The decisions of payments and refunds, as they are; a planted fault is one of them exchanged. */
export const OURS = {
  decideAuthorization,
  decideRecovery,
  decideAfterReversal,
  decideAfterRefund,
  isUndone,
  movementOutcome,
};
export type Ours = typeof OURS;

export const LIMITS = { adoptWithinMs: 300, reverseUnseenAfterMs: 100, horizonMs: 1_000 };

/** An age in the middle of what it stands for. */
export const AGE_MS: Record<Age, number> = {
  young: 50,
  unseen: 200,
  "too old to adopt": 500,
  "past the horizon": 2_000,
};

const SENT_MS_AGO: Record<Sent, number | null> = {
  never: null,
  "may arrive": 0,
  "cannot arrive": LIMITS.horizonMs + 1,
};

/** What an inquiry, or a movement's repetition, means by our rules. */
export function judge(
  ours: Ours,
  answer: Answer,
  {
    asked,
    sent,
    capabilities,
  }: { asked: Amount; sent: Sent; capabilities: Pick<Capabilities, "repetition"> },
) {
  const sending = { sentMsAgo: SENT_MS_AGO[sent], horizonMs: LIMITS.horizonMs };
  return ours.movementOutcome(asInquiry(answer), money(asked), sending, capabilities);
}

export const money = (amount: Amount) => ({ amountMinor: AMOUNTS[amount], currency: "TRY" });

const TEXTS = { resultCode: "00", resultMessage: "" };
const approved = (amount: Amount) =>
  ({ kind: "approved", ...money(amount), externalTransactionId: "t", authCode: "1", ...TEXTS }) as const;
const UNKNOWN = { kind: "unknown", reason: "timeout" } as const;

/** An answer to a card payment or a refund, as an adapter tells it: another amount than was asked for is a mismatch. */
export function asOutcome({ kind, amount }: Answer, asked: Amount): AcquirerOutcome {
  switch (kind) {
    case "approved":
      return amount === asked ? approved(asked) : { kind: "unknown", reason: "mismatch" };
    case "declined":
      return { kind, ...TEXTS };
    case "not_sent":
      return { kind };
    default:
      return UNKNOWN;
  }
}

export function asInquiry({ kind, amount }: Answer): Verdict {
  switch (kind) {
    case "approved":
      return { ...approved(amount ?? "whole"), at: new Date(0) };
    case "declined":
      return { kind, ...TEXTS };
    case "reversed":
    case "not_found":
    case "not_sent":
      return { kind };
    default:
      return UNKNOWN;
  }
}

export function asReversal({ kind }: Answer): ReversalOutcome {
  switch (kind) {
    case "reversed":
    case "nothing_found":
    case "not_sent":
      return { kind };
    case "settled":
    case "refused":
      return { kind, ...TEXTS };
    default:
      return UNKNOWN;
  }
}
