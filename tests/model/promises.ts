import { chargeOf, standing } from "./bank.ts";
import { REFUND_NAMES } from "./refund-relay-steps.ts";
import {
  NAMESAKE,
  WHOLE,
  type Movement,
  type Payment,
  type Refund,
  type RefundName,
  type World,
} from "./world.ts";

/** Promises that hold at every moment, regardless of later events. */
export function violation(world: World): string | undefined {
  const { payment, time } = world;
  const { reserved, refunded, released, captured } = payment;
  if (reserved < 0 || refunded + reserved > (payment.state === "CAPTURED" ? captured : WHOLE - released)) {
    return "more is refunded than was paid";
  }
  if (!MAY_BE_NOTIFIED.has(payment.notified.join(" ")))
    return "the merchant got two final states of one payment";
  // No rule of ours prevents a bank from carrying out one request twice; people get to see it.
  if (time.wasTwice) return undefined;
  // No bank here answers as to another operation, so that nothing is amiss with the name.
  if (payment.openCase === NAMESAKE) return "people have an operation that the bank carried out as asked";
  return unjudged(world) ?? moneyFault(world, time.cameAfterWatch);
}

const MAY_BE_NOTIFIED: ReadonlySet<string> = new Set(["", "SUCCESS", "FAILED", "SUCCESS CANCELLED"]);

/** Only the bank declines: neither our clock, nor our time-outs, nor a bank that got the call too late. */
function unjudged({ payment, book, a, b }: World): string | undefined {
  const isJudged = (base: string) =>
    book.some(({ ref, state }) => state === "declined" && isUnder(ref, base));
  if (payment.ended?.state === "DECLINED" && !isJudged(payment.ended.ref)) {
    return "an operation was declined, but the bank never judged it";
  }
  for (const name of REFUND_NAMES) {
    const { state } = name === "a" ? a : b;
    if ((state === "FAILING" || state === "FAILED") && !isJudged(`refund ${name}`)) {
      return "an approved refund is FAILED, but the bank never judged it";
    }
  }
  return undefined;
}

/** The difference between our books and the bank's about money, if any. */
function moneyFault(world: World, cameAfterWatch: boolean): string | undefined {
  const { payment, book } = world;
  if (book.filter(isCharge).length > 1) return "the buyer was charged twice";
  const givenBack = book.filter(({ ref, state }) => state === "approved" && isUnder(ref, "reversal refund"));
  if (givenBack.length > 1) return "a settled charge was given back twice";
  const charge = chargeOf(book, payment.account) ?? book.find(isCharge);
  const stands = charge !== undefined && givenBack.length === 0;
  const isWhole = stands && charge.amount === WHOLE;
  const captures = standing(book, payment.account, "capture");
  switch (payment.state) {
    case "FAILED":
      if (stands && payment.watch !== "waiting" && !cameAfterWatch)
        return "FAILED, but the buyer was charged";
      break;
    case "CANCELLED":
      if (stands) return "CANCELLED, but the buyer was charged";
      break;
    case "SUCCESS":
      if (!payment.operation && !isWhole) return "SUCCESS, but the buyer was not charged the whole amount";
      if (!payment.operation && captures.length > 0)
        return "captured at the bank, but our payment does not show it";
      break;
    case "CAPTURED":
      if (captures.length !== 1 || captures[0]!.amount !== payment.captured)
        return "CAPTURED, but the bank has no such capture";
      break;
    default:
  }
  return REFUND_NAMES.map((name) => refundFault(world, name)).find((fault) => fault !== undefined);
}

const isCharge = ({ kind, state }: Movement) =>
  (kind === "sale" || kind === "authorize") && state === "approved";
const isUnder = (ref: string, base: string) => ref === base || ref.startsWith(`${base}:`);

function refundFault(world: World, name: RefundName): string | undefined {
  const paid = timesPaid(world, name);
  if (paid > 1) return "a refund was paid twice";
  switch (world[name].state) {
    case "SETTLING":
    case "SUCCESS":
      return paid === 0 && !standsForOther(world, name)
        ? "a refund is SUCCESS, but was never paid"
        : undefined;
    case "EXECUTING":
      return undefined;
    default:
      return paid === 0 ? undefined : `a refund was paid, but is ${world[name].state}`;
  }
}

function timesPaid({ book }: World, name: RefundName): number {
  return book.filter(({ ref, state }) => state === "approved" && isUnder(ref, `refund ${name}`)).length;
}

/**
 * A bank that took it for a copy has paid one of two that are alike. Where only names tell them apart, either of them may have
 * the name of that movement, as long as the other one does not count as paid, too.
 */
function standsForOther(world: World, name: RefundName): boolean {
  const { externalId, namesBefore } = world[name];
  if (namesBefore === null) return false;
  const other = world[name === "a" ? "b" : "a"];
  if (externalId === "" || other.externalId === externalId || isPaid(other)) return false;
  return standing(world.book, world.payment.account, world[name].kind).some(({ id }) => id === externalId);
}

const isPaid = ({ state }: Refund) => state === "SETTLING" || state === "SUCCESS";

/** The differences that a complete settlement file finds in our books. */
export function disagreement(world: World): string | undefined {
  return moneyFault(world, false);
}

/** True if all records agree and nothing is under way, or people have the case before them. */
export function isAtRest(world: World): boolean {
  if (world.payment.openCase !== "" || REFUND_NAMES.some((name) => world[name].openCase !== "")) return true;
  return isOver(world) && disagreement(world) === undefined;
}

/** True if nothing is under way any longer. */
export function isOver(world: World): boolean {
  const { payment, hand, wire, book } = world;
  if (hand || wire.length > 0 || !isEnded(payment)) return false;
  if (book.some(({ state }) => state === "pending")) return false;
  return REFUND_NAMES.every((name) => {
    const { state, relay } = world[name];
    return !relay && ENDS.has(state);
  });
}

const ENDS: ReadonlySet<string> = new Set(["NONE", "DROPPED", "SUCCESS", "FAILED", "REJECTED"]);

function isEnded({ state, watch, operation }: Payment): boolean {
  if (operation || watch === "waiting") return false;
  return state === "SUCCESS" || state === "FAILED" || state === "CANCELLED" || state === "CAPTURED";
}
