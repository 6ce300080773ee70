import type {
  AcquirerAmount,
  AcquirerOutcome,
  Approved,
  Declined,
  Expired,
  NotSent,
  ReversalOutcome,
  Unknown,
} from "../acquirer.ts";
import { INVALID_ANSWER, MISMATCH, PENDING } from "./outcomes.ts";

/**
 * A success of an order, as the bank's record shows it: a sale, or an authorization, which is `held` until it is captured.
 * A success that is `settled` with its business day can no longer be voided.
 */
export type Success = AcquirerAmount & {
  state: "held" | "taken" | "settled" | "voided";
  /** The bank's name of the success. */
  externalTransactionId: string;
  authCode?: string;
  resultCode: string;
  /** The record has a refund beside it. A void would give that back, too. */
  isCredited?: true;
};

/** The one success of an order that counts. If several stand, none of them is chosen. */
export type Standing<Kind extends Success = Success> =
  | { kind: "live" | "settled" | "voided"; success: Kind }
  /** The bank itself has not decided. */
  | { kind: "pending" }
  /** `unseen`: the bank does not know the order. `none`: the order has no success. */
  | { kind: "several" | "none" | "unseen" }
  | Unknown
  | NotSent;

/**
 * The success that a call is about. An order has only one: if two are valid, neither is believed, named or
 * not.
 * @param name the bank's name, if known. A captured authorization may have got another name with its capture,
 * so the only success of an order matches any name.
 */
export function standingOf<Kind extends Success>(
  successes: readonly Kind[],
  { name, isUndecided = false }: { name?: string | undefined; isUndecided?: boolean } = {},
): Standing<Kind> {
  const named = successes.filter(({ externalTransactionId }) => externalTransactionId === name);
  const unvoided = successes.filter(({ state }) => state !== "voided");
  const [success, ...others] = named.length > 0 ? named : unvoided;
  if (unvoided.length > 1 || others.length > 0) return { kind: "several" };
  if (success) return { kind: kindOf(success), success };
  if (isUndecided) return { kind: "pending" };
  const voided = successes.at(-1);
  return voided ? { kind: "voided", success: voided } : { kind: "none" };
}

function kindOf({ state }: Success): "live" | "settled" | "voided" {
  return state === "held" || state === "taken" ? "live" : state;
}

/** The reversal of a success whose business day is over: only a refund gives the money back. */
export type Settled = Extract<ReversalOutcome, { kind: "settled" }>;

/** The end of a void. `approved` has the voided movement's name; `none`: there was no success to void. */
export type VoidOutcome = Exclude<AcquirerOutcome, Expired> | Settled | { kind: "none" };

/**
 * Voids an order's success that is still valid, by the bank's name of it.
 * @param about the amount of the call that asks for the void.
 */
export async function voidStanding<Kind extends Success>(
  standing: Standing<Kind>,
  about: AcquirerAmount,
  {
    send,
    settled,
  }: { send: (success: Kind) => Promise<VoidOutcome>; settled: (success: Kind) => Omit<Settled, "kind"> },
): Promise<VoidOutcome> {
  switch (standing.kind) {
    case "live":
      return standing.success.isCredited ? MISMATCH : send(standing.success);
    case "settled":
      return { kind: "settled", ...settled(standing.success) };
    case "voided":
      return approvedBy(standing.success, about);
    case "pending":
      return PENDING;
    case "several":
      return MISMATCH;
    case "none":
    case "unseen":
      return { kind: "none" };
    case "unknown":
    case "not_sent":
      return standing;
    default:
      return standing satisfies never;
  }
}

/** The outcome of a cancel by a void: it is not tried on another day, and the merchant gets the bank's own refusal. */
export function cancelledBy(outcome: AcquirerOutcome | Settled): AcquirerOutcome {
  if (outcome.kind !== "settled") return outcome;
  return { ...outcome, kind: "declined", declineClass: "technical", isTooLate: true };
}

/** The outcome of a reversal by a void. */
export function reversedBy(outcome: VoidOutcome): ReversalOutcome {
  switch (outcome.kind) {
    case "approved":
      return { kind: "reversed" };
    case "declined": {
      const { resultCode, resultMessage } = outcome;
      return { kind: "refused", resultCode, resultMessage };
    }
    case "none":
      return { kind: "nothing_found" };
    case "settled":
    case "unknown":
    case "not_sent":
      return outcome;
    default:
      return outcome satisfies never;
  }
}

/**
 * The outcome of an approval whose answer has no amount. The approval is believed only in the requested
 * amount. Until the bank's record shows it, the money has moved in an unknown amount, and recovery asks
 * again.
 * @param of a payment, which the record shows under the name of its approval, or a capture, which may have
 * another name.
 */
export function confirmedBy(
  standing: Standing,
  approval: Approved,
  of: "payment" | "capture",
): Approved | Unknown {
  const unconfirmed = (outcome: Unknown, heard = approval): Unknown => ({ ...outcome, heard });
  switch (standing.kind) {
    case "live":
    case "settled": {
      const { amountMinor, externalTransactionId, state } = standing.success;
      if (of === "capture" && state === "held") return unconfirmed(PENDING);
      // The record does not show this approval yet, and another approval is valid.
      if (of === "payment" && externalTransactionId !== approval.externalTransactionId)
        return unconfirmed(MISMATCH);
      return amountMinor === approval.amountMinor
        ? approval
        : unconfirmed(MISMATCH, { ...approval, amountMinor });
    }
    // Something voided it meanwhile, or there are two.
    case "voided":
    case "several":
      return unconfirmed(MISMATCH);
    // The record is behind the approval, or cannot be read now.
    case "pending":
    case "none":
    case "unseen":
    case "not_sent":
      return unconfirmed(PENDING);
    case "unknown":
      return unconfirmed(standing);
    default:
      return standing satisfies never;
  }
}

/** The outcome of a capture that was refused because there is nothing to capture: it may have been carried out before. */
export function capturedBefore(
  standing: Standing,
  about: AcquirerAmount,
  refusal: Declined,
): Approved | Declined | Unknown {
  switch (standing.kind) {
    case "live":
    case "settled": {
      const { success } = standing;
      if (success.state === "held") return refusal;
      return success.amountMinor === about.amountMinor ? approvedBy(success, about) : MISMATCH;
    }
    case "voided":
    case "none":
      return refusal;
    // The capture has been sent, and only the record could tell.
    case "pending":
    case "not_sent":
      return PENDING;
    case "several":
      return MISMATCH;
    // The request's target was approved: a bank that knows nothing of the order proves nothing.
    case "unseen":
      return INVALID_ANSWER;
    case "unknown":
      return standing;
    default:
      return standing satisfies never;
  }
}

/** An approval that the bank's record shows, for the amount of the call that it answers. */
export function approvedBy(
  { externalTransactionId, authCode = "", resultCode }: Success,
  { amountMinor, currency }: AcquirerAmount,
): Approved {
  return {
    kind: "approved",
    amountMinor,
    currency,
    externalTransactionId,
    authCode,
    resultCode,
    resultMessage: "",
  };
}
