import {
  judge,
  type AcquirerOutcome,
  type Attempt,
  type Capabilities,
  type MovementKind,
  type Names,
  type ReversalOutcome,
  type Verdict,
} from "@holdfast/acquirer";
import { confirmedBy } from "@holdfast/acquirer/kit";
import {
  besideApproval,
  movementOutcome,
  nameGiven,
  type MovementOutcome,
} from "../../services/payments/src/bank/ledger/bank-call.ts";
import { routeAfter } from "../../services/payments/src/bank/ledger/fail-over.ts";
import {
  decideCancel,
  decideCapture,
  decideReservation,
  type OperablePayment,
} from "../../services/payments/src/follow-up/operation/payment-operation.ts";
import { refusalOf } from "../../services/payments/src/people/operator/resolution-refusal.ts";
import { decideAuthorization } from "../../services/payments/src/payment/authorization-outcome.ts";
import { decideRecovery } from "../../services/payments/src/unknown/recovery/decide-recovery.ts";
import {
  decideAfterRefund,
  decideAfterReversal,
  isUndone,
} from "../../services/payments/src/unknown/recovery/decide-undo.ts";
import { mayBeReversed } from "../../services/payments/src/unknown/recovery/reversal.ts";
import { amountToReverse } from "../../services/payments/src/unknown/recovery/undo-payment.ts";
import {
  amongOthers,
  waitsFor,
} from "../../services/payments/src/follow-up/refund-reservation/other-refunds.ts";
import { givesBack, tellAll } from "./bank-record.ts";
import {
  nothing,
  WHOLE,
  type Age,
  type Answer,
  type Kind,
  type Payment,
  type Scenario,
  type Sent,
} from "./world.ts";

/** The real decisions of payments and refunds; a planted fault replaces one of them. */
export const OURS = {
  amongOthers,
  amountToReverse,
  besideApproval,
  confirmedBy,
  decideAfterRefund,
  decideAfterReversal,
  decideAuthorization,
  decideCancel,
  decideCapture,
  decideRecovery,
  decideReservation,
  isUndone,
  judge,
  mayBeReversed,
  movementOutcome,
  nameGiven,
  refusalOf,
  routeAfter,
  waitsFor,
  /** The statement that begins a call at another account moves the payment there, too. */
  movesPayment: true as boolean,
  /** An attempt that throws is counted, as `attemptRecovery` does, for operators; its effect is not a pure function. */
  countsThrown: true as boolean,
  /** An answer as an adapter passes it on. */
  hear: (outcome: AcquirerOutcome): AcquirerOutcome => outcome,
};
export type Ours = typeof OURS;

export const LIMITS = { adoptWithinMs: 300, reverseUnseenAfterMs: 100, horizonMs: 1_000 };

/** An age in the middle of its range. */
export const AGE_MS: Record<Age, number> = {
  young: 50,
  unseen: 200,
  "too old to adopt": 500,
  "past the horizon": 2_000,
};

export const SENT_MS_AGO: Record<Sent, number | null> = {
  never: null,
  "may arrive": 0,
  "cannot arrive": LIMITS.horizonMs + 1,
};

const KINDS: readonly MovementKind[] = ["authorize", "sale", "capture", "void", "release", "refund"];

export function capabilitiesOf(bank: Kind): Capabilities {
  const { repetition, release, sharesNames } = bank;
  const ownReferenceOn = KINDS.filter((kind) => givesBack(bank, kind));
  return { repetition, ownReferenceOn, sharesNameOn: sharesNames ? ["capture", "void"] : [], release };
}

/** Our judgement of one attempt by the bank's book. */
export function ask(
  ours: Ours,
  { book, account, bank }: { book: Parameters<typeof tellAll>[0]; account: number; bank: Kind },
  attempt: { ref: string; kind: MovementKind; amount: number; target?: string; names?: Names },
): Answer {
  const { ref, kind, amount, target, names } = attempt;
  const asked: Attempt = {
    reference: ref,
    kind,
    ...money(amount),
    ...(target !== undefined && { targetTransactionId: target }),
    ...(names && { names }),
  };
  return answerOf(ours.judge(asked, tellAll(book, account, bank), capabilitiesOf(bank)));
}

/** The outcome of a movement by an inquiry about it. */
export function outcomeOf(
  ours: Ours,
  answer: Answer,
  { amount, sent, bank }: { amount: number; sent: Sent; bank: Kind },
): MovementOutcome {
  const sending = { sentMsAgo: SENT_MS_AGO[sent], horizonMs: LIMITS.horizonMs };
  return ours.movementOutcome(asVerdict(answer), money(amount), sending, capabilitiesOf(bank));
}

export const money = (amount: number) => ({ amountMinor: BigInt(amount), currency: "TRY" });

/** The columns on which decisions about an authorized payment depend. */
export function operable(
  { state, captured, released, reserved, refunded, operation }: Payment,
  { type }: Pick<Scenario, "type">,
): OperablePayment {
  return {
    transaction_type: type,
    state,
    amount_minor: BigInt(WHOLE),
    currency: "TRY",
    currency_exponent: 0,
    captured_minor: BigInt(captured),
    released_minor: BigInt(released),
    reserved_minor: BigInt(reserved),
    refunded_minor: BigInt(refunded),
    charged_back_minor: 0n,
    operation_id: operation && `operation ${operation.nth}`,
    created_at: new Date(0),
  };
}

const TEXTS = { resultCode: "00", resultMessage: "" };

/** A decline that allows another try. A decline of another class ends the payment. */
export const SOFTLY_DECLINED = { kind: "declined", declineClass: "soft", ...TEXTS } as const;

/** An answer to a call, as an adapter returns it: another amount than the requested one is a mismatch. */
export function asOutcome(ours: Ours, answer: Answer, asked: number): AcquirerOutcome {
  const verdict = asVerdict(
    answer.kind === "approved" && answer.amount !== asked ? nothing("mismatch") : answer,
  );
  return ours.hear(verdict.kind === "reversed" || verdict.kind === "not_found" ? UNKNOWN : verdict);
}

const UNKNOWN = { kind: "unknown", reason: "timeout" } as const;

export function asVerdict({ kind, amount, id }: Answer): Verdict {
  switch (kind) {
    case "approved":
      return { kind, ...money(amount), externalTransactionId: id, authCode: "1", ...TEXTS };
    case "declined":
      return SOFTLY_DECLINED;
    case "reversed":
    case "not_found":
    case "expired":
    case "not_sent":
      return { kind };
    case "mismatch":
      return { kind: "unknown", reason: "mismatch" };
    case "pending":
      return { kind: "unknown", reason: "pending" };
    case "nothing_found":
    case "settled":
    case "refused":
    case "unknown":
      return UNKNOWN;
    default:
      return kind satisfies never;
  }
}

export function answerOf(verdict: Verdict): Answer {
  switch (verdict.kind) {
    case "approved":
      return {
        kind: "approved",
        amount: Number(verdict.amountMinor),
        id: verdict.externalTransactionId,
      };
    case "unknown":
      return nothing(
        verdict.reason === "mismatch" || verdict.reason === "pending" ? verdict.reason : "unknown",
      );
    default:
      return nothing(verdict.kind);
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
