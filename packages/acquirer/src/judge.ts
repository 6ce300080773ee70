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
import { MISMATCH, PENDING } from "./kit/outcomes.ts";

/** One operation that was requested from an acquirer under one reference. */
export type Attempt = AcquirerAmount & {
  reference: string;
  kind: MovementKind;
  /** For a void or a refund: the acquirer's id of the payment that it gives back. */
  targetTransactionId?: string;
  /**
   * Tells the attempt from other movements of its kind, if the acquirer does not return our reference: see
   * `isToldByNames`.
   */
  names?: Names;
};

/**
 * The acquirer's ids of an order's movements of one kind, which tell an attempt from other attempts. Times
 * cannot: they are the acquirer's, in a time zone of its own with an hour that is repeated in autumn.
 */
export type Names = {
  /**
   * The ids that the record showed before the attempt was sent, each as often as it was shown. Absent if
   * unknown, as after a restore: then an operator decides about a movement that could be the attempt.
   */
  before?: readonly string[];
  /** The ids that are known to belong to other attempts. */
  others: readonly string[];
  /** The id that the acquirer gave the attempt in its answer. */
  own?: string;
};

/** The outcome of one attempt, judged by the acquirer's whole record of its order. */
export type Verdict =
  /**
   * It took effect and nothing reversed it. The amount may differ from the requested one. A completion
   * includes the authentication's result, as evidence in a dispute. `fraudReview` says whether the acquirer
   * lets the goods be sent.
   */
  | (Approved & Authenticated)
  | (Declined & Authenticated)
  /** It was reversed, or its reference is bound: no funds are reserved for it, nor ever will be. */
  | { kind: "reversed" }
  /** The acquirer does not know the attempt, which may still be under way. */
  | { kind: "not_found" }
  | Expired
  | Unknown
  | NotSent;

type Authenticated = { authentication?: Authentication };

/**
 * Asks about one attempt. @param order the payment that it belongs to.
 * @returns the verdict, and everything that the acquirer has shown of the order.
 */
export async function inquireAbout(
  acquirer: Pick<Acquirer, "inquire" | "capabilities">,
  order: Pick<InquiryRequest, "orderId" | "operation" | "externalTransactionId">,
  attempt: Attempt,
  waitUntil: Date,
): Promise<{ verdict: Verdict; inquiry: InquiryOutcome }> {
  const { reference, kind, currency } = attempt;
  const inquiry = await acquirer.inquire({ ...order, reference, kind, currency, waitUntil });
  return { verdict: judge(attempt, inquiry, acquirer.capabilities), inquiry };
}

/**
 * Judges one attempt by the acquirer's record of its order. Money that moved counts before every refusal. Two
 * movements that could both be the attempt are a mismatch, which an operator resolves. The order of the
 * movements and their times decide nothing. A declined or approved copy counts before one that came too late.
 */
export function judge(
  attempt: Attempt,
  inquiry: InquiryOutcome,
  { ownReferenceOn, sharesNameOn }: Pick<Capabilities, "ownReferenceOn" | "sharesNameOn">,
): Verdict {
  if (inquiry.kind !== "found") return inquiry;
  const isNamed = ownReferenceOn.includes(attempt.kind);
  const ours = isNamed
    ? inquiry.movements.filter(({ ownReference }) => ownReference === attempt.reference)
    : unexplained(attempt, inquiry.movements);
  const [approved, ...more] = ours.filter(({ state }) => state === "approved");
  if (approved) {
    const isSure = more.length === 0 && (isNamed || isCertainly(attempt, approved));
    return isSure ? approvedBy(approved) : MISMATCH;
  }
  if (isVoided(attempt, inquiry.movements)) return approvedBy(targetOf(attempt, inquiry.movements)!);
  if (ours.some(({ state }) => state === "pending")) return PENDING;
  if (ours.some(({ state }) => state === "voided" || state === "bound")) return { kind: "reversed" };
  const asVoid = sharesNameOn.includes("refund") && paidByVoid(attempt, inquiry.movements);
  if (asVoid) return asVoid;
  if (!isNamed && !ONCE_AN_ORDER.has(attempt.kind)) return { kind: "not_found" };
  const declined = ours.findLast(({ state }) => state === "declined");
  if (declined) return declinedBy(declined);
  return ours.length === 0 ? { kind: "not_found" } : { kind: "expired" };
}

/**
 * The kinds that an order has at most once, so a refusal without our reference is ours. A refused capture,
 * void, release or refund may belong to an earlier attempt while this one is still on its way. Its outcome is
 * unknown until it is approved or its own call is answered.
 */
const ONCE_AN_ORDER: ReadonlySet<MovementKind> = new Set(["authorize", "sale"]);

/** An order may have several of each of these that took effect. */
const MANY_AN_ORDER: ReadonlySet<MovementKind> = new Set(["release", "refund"]);

/**
 * True if only the acquirer's ids tell which movement of an order is the attempt's. The order's ids have to
 * be read before the attempt is sent.
 */
export function isToldByNames(
  kind: MovementKind,
  { ownReferenceOn }: Pick<Capabilities, "ownReferenceOn">,
): boolean {
  return MANY_AN_ORDER.has(kind) && !ownReferenceOn.includes(kind);
}

/**
 * The names of an order's movements of a kind, for an attempt that follows. A movement without a name yet is
 * the empty text.
 * @returns undefined if they are unknown: the acquirer did not answer, or does not know an order that it has
 * approved.
 */
export function namesShown(inquiry: InquiryOutcome, kind: MovementKind): string[] | undefined {
  if (inquiry.kind !== "found") return undefined;
  return inquiry.movements.filter((movement) => movement.kind === kind && mayStand(movement)).map(nameOf);
}

/** Movements of the attempt's kind that nothing else explains. One more under a known name is explained by nothing. */
function unexplained({ kind, names }: Attempt, movements: readonly BankMovement[]): BankMovement[] {
  const ofKind = movements.filter((movement) => movement.kind === kind);
  if (!names) return ofKind;
  const own = ofKind.filter((movement) => names.own !== undefined && nameOf(movement) === names.own);
  if (own.length > 0) return own;
  const standing = ofKind.filter(mayStand).map(nameOf);
  return ofKind.filter((movement) => {
    const name = nameOf(movement);
    const known = Math.max(count(names.before ?? [], name), name !== "" ? count(names.others, name) : 0);
    return mayStand(movement) ? count(standing, name) > known : known === 0;
  });
}

const count = (names: readonly string[], name: string) => names.filter((each) => each === name).length;

/** A refusal moves nothing, whatever name it has. */
function mayStand({ state }: Pick<BankMovement, "state">): boolean {
  return state === "approved" || state === "pending" || state === "voided";
}

const nameOf = ({ externalTransactionId = "" }: Pick<BankMovement, "externalTransactionId">) =>
  externalTransactionId;

/** True for every kind that an order can have only once; for the other kinds the name has to fit as well. */
function isCertainly({ kind, names, ...asked }: Attempt, movement: BankMovement): boolean {
  if (!MANY_AN_ORDER.has(kind)) return true;
  const fits = movement.amountMinor === asked.amountMinor && movement.currency === asked.currency;
  return fits && (!names || isNew(nameOf(movement), names));
}

/** One that had no name before may have got any since. */
function isNew(name: string, { before, others, own }: Names): boolean {
  if (name === own) return true;
  if (before === undefined || before.includes("")) return false;
  return name === "" || (!before.includes(name) && !others.includes(name));
}

/** Some acquirers show a void only as the state of the movement that it voids. */
function isVoided(attempt: Attempt, movements: readonly BankMovement[]): boolean {
  return attempt.kind === "void" && targetOf(attempt, movements)?.state === "voided";
}

/**
 * A refund of the whole captured amount, which the acquirer shows only as a voided capture or sale. A void
 * that is known to belong to another movement, such as our cancel, is no refund.
 */
function paidByVoid(attempt: Attempt, movements: readonly BankMovement[]): Verdict | undefined {
  const { kind, amountMinor, currency, names } = attempt;
  const target = targetOf(attempt, movements);
  if (kind !== "refund" || target?.state !== "voided") return undefined;
  const taken = movements.find(
    (each) =>
      (each.kind === "capture" || (each.kind === "sale" && nameOf(each) === nameOf(target))) &&
      each.state === "voided" &&
      each.amountMinor === amountMinor &&
      each.currency === currency,
  );
  if (!taken) return undefined;
  // A capture may be shown without a name of its own.
  const externalTransactionId = nameOf(taken) || nameOf(target);
  const isAnothers = [externalTransactionId, nameOf(target)].some((name) => names?.others.includes(name));
  if (isAnothers || (names?.own !== undefined && names.own !== externalTransactionId)) return undefined;
  return { ...approvedBy({ ...taken, externalTransactionId }), asVoid: true };
}

function targetOf({ targetTransactionId }: Attempt, movements: readonly BankMovement[]) {
  return targetTransactionId === undefined
    ? undefined
    : movements.find(
        ({ kind, externalTransactionId }) => kind !== "void" && externalTransactionId === targetTransactionId,
      );
}

function approvedBy(movement: BankMovement): Approved & Authenticated {
  const { amountMinor, currency, resultCode, resultMessage, authentication, fraudReview } = movement;
  return {
    kind: "approved",
    amountMinor,
    currency,
    externalTransactionId: movement.externalTransactionId ?? "",
    authCode: movement.authCode ?? "",
    resultCode,
    resultMessage,
    ...(authentication && { authentication }),
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
