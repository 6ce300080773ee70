import type {
  Acquirer,
  AcquirerAmount,
  Approved,
  Authentication,
  BankMovement,
  Declined,
  Expired,
  InquiryOutcome,
  InquiryRequest,
  MovementKind,
  NotSent,
  Unknown,
} from "./acquirer.ts";
import type { Capabilities } from "./capabilities.ts";

/** One operation that was requested from an acquirer under one reference. */
export type Attempt = AcquirerAmount & {
  reference: string;
  kind: MovementKind;
  /** The time at which it was sent first. */
  sentAt: Date;
  /** For a void: the acquirer's id of the movement that it voids. */
  targetTransactionId?: string;
  /** The acquirer's ids of those movements of the order that are known to belong to other attempts. */
  otherTransactionIds?: readonly string[];
};

/** The outcome of one attempt, by all that the acquirer knows of its order. */
export type Verdict =
  /**
   * It took effect and nothing reversed it, in an amount that may differ from the requested one. For a completion it
   * includes the authentication's result, as evidence in a dispute. `fraudReview` says whether the acquirer lets the
   * goods be sent.
   */
  | (Approved & Authenticated & { at?: Date })
  | (Declined & Authenticated)
  /** It was reversed, or its reference is bound: no funds of it are reserved, nor ever will be. */
  | { kind: "reversed" }
  /** The acquirer does not know it; it may still be under way. */
  | { kind: "not_found" }
  | Expired
  | Unknown
  | NotSent;

type Authenticated = { authentication?: Authentication };

/** Asks about one attempt. @param order the payment that it belongs to. */
export async function inquireAbout(
  acquirer: Pick<Acquirer, "inquire" | "capabilities">,
  order: Pick<InquiryRequest, "orderId" | "since" | "operation" | "externalTransactionId">,
  attempt: Attempt,
  waitUntil: Date,
): Promise<Verdict> {
  const { reference, kind, currency } = attempt;
  const inquiry = await acquirer.inquire({ ...order, reference, kind, currency, waitUntil });
  return judge(attempt, inquiry, acquirer.capabilities);
}

/** A clock of the acquirer may be behind ours by this much, and its times are often whole minutes. */
const CLOCK_TOLERANCE_MS = 120_000;

/**
 * Judges one attempt by an acquirer's knowledge of its order. Money that moved counts before every refusal. Two
 * movements that could both be the attempt are a mismatch, for people to look at. The order in which the acquirer lists
 * them decides nothing: a copy that it judged counts before one that came too late.
 */
export function judge(
  attempt: Attempt,
  inquiry: InquiryOutcome,
  { ownReferenceOn }: Pick<Capabilities, "ownReferenceOn">,
): Verdict {
  if (inquiry.kind !== "found") return inquiry;
  const isNamed = ownReferenceOn.includes(attempt.kind);
  const ours = inquiry.movements.filter((movement) =>
    isNamed ? movement.ownReference === attempt.reference : mayBe(attempt, movement),
  );
  const approved = ours.filter(({ state }) => state === "approved");
  if (approved.length > 1) return { kind: "unknown", reason: "mismatch" };
  if (approved[0]) return approvedBy(approved[0]);
  if (isVoided(attempt, inquiry.movements)) return approvedBy(targetOf(attempt, inquiry.movements)!);
  if (ours.some(({ state }) => state === "pending")) return { kind: "unknown", reason: "pending" };
  if (ours.some(({ state }) => state === "voided" || state === "bound")) return { kind: "reversed" };
  if (!isNamed && !ONCE_AN_ORDER.has(attempt.kind)) return { kind: "not_found" };
  const declined = ours.findLast(({ state }) => state === "declined");
  if (declined) return declinedBy(declined);
  return ours.length === 0 ? { kind: "not_found" } : { kind: "expired" };
}

/**
 * An order has at most one of each of these, so a refusal without our reference is known to be ours. A refused capture,
 * void, release or refund may be an earlier one's, while this one is still under way: its outcome is unknown until it
 * is approved, or its own call is answered.
 */
const ONCE_AN_ORDER: ReadonlySet<MovementKind> = new Set(["authorize", "sale"]);

/** A movement without our reference that no other attempt explains. */
function mayBe({ kind, sentAt, otherTransactionIds = [] }: Attempt, movement: BankMovement): boolean {
  if (movement.kind !== kind) return false;
  const { externalTransactionId: id, at } = movement;
  if (id !== undefined && otherTransactionIds.includes(id)) return false;
  return at === undefined || at.getTime() >= sentAt.getTime() - CLOCK_TOLERANCE_MS;
}

/** Some acquirers show a void only as the state of the movement that it voids. */
function isVoided(attempt: Attempt, movements: readonly BankMovement[]): boolean {
  return attempt.kind === "void" && targetOf(attempt, movements)?.state === "voided";
}

function targetOf({ targetTransactionId }: Attempt, movements: readonly BankMovement[]) {
  return targetTransactionId === undefined
    ? undefined
    : movements.find(
        ({ kind, externalTransactionId }) => kind !== "void" && externalTransactionId === targetTransactionId,
      );
}

function approvedBy(movement: BankMovement): Verdict {
  const { amountMinor, currency, resultCode, resultMessage, authentication, at, fraudReview } = movement;
  return {
    kind: "approved",
    amountMinor,
    currency,
    externalTransactionId: movement.externalTransactionId ?? "",
    authCode: movement.authCode ?? "",
    resultCode,
    resultMessage,
    ...(authentication && { authentication }),
    ...(at && { at }),
    ...(fraudReview && { fraudReview }),
  };
}

function declinedBy({
  externalTransactionId,
  resultCode,
  resultMessage,
  authentication,
}: BankMovement): Verdict {
  return {
    kind: "declined",
    ...(externalTransactionId !== undefined && { externalTransactionId }),
    resultCode,
    resultMessage,
    ...(authentication && { authentication }),
  };
}
