import type { MovementKind, Repetition } from "@holdfast/acquirer";
import type { OperationKind } from "../../services/payments/src/follow-up/operation/payment-operation.ts";
import type { PaymentState } from "../../services/payments/src/payment/payment.ts";
import type { RefundState } from "../../services/refunds/src/refund/refund.ts";

/** The abilities of the abstract bank. */
export type Kind = {
  bindsUnseen: boolean;
  repetition: Repetition;
  /** True if an inquiry gives our references back. Elsewhere movements are known by their kind and their names. */
  namesReferences: boolean;
  /** True if captures are among the named movements. */
  namesCaptures: boolean;
  /** True if a part of an authorization can be released. At other banks a capture or a cancellation ends it. */
  release: boolean;
  /** True if its answers to payments and captures have no amount, so that its record has to confirm them. */
  confirmsAmounts: boolean;
  /** True if a capture or a void is approved under the name of the payment that it is about. */
  sharesNames: boolean;
  /** True if a void undoes whatever came last of the order, and its record shows it as the state of that alone. */
  voidsLast: boolean;
  /**
   * The distance of the bank's times from ours: its clock is wrong, or they are of an hour that is repeated
   * in autumn.
   */
  clockSeconds: number;
};

/** The buyer's payment in minor units, and the size of every part of it. */
export const WHOLE = 10;
export const HALF = 5;

/** The ages of a payment that the rules distinguish. */
export const AGES = ["young", "unseen", "too old to adopt", "past the horizon"] as const;
export type Age = (typeof AGES)[number];

/** The chance that a movement which may have been sent still arrives. */
export type Sent = "never" | "may arrive" | "cannot arrive";

/** A request of ours to the bank of an account. `ref` is our reference. */
export type Request = {
  kind: MovementKind | "reverse";
  ref: string;
  amount: number;
  account: number;
};

/** The bank's answer to a request or to an inquiry, as far as anything depends on it. */
export type Answer = {
  kind:
    | "approved"
    | "declined"
    | "expired"
    | "reversed"
    | "nothing_found"
    | "settled"
    | "refused"
    | "not_found"
    | "pending"
    | "unknown"
    | "mismatch"
    | "not_sent";
  amount: number;
  /** The bank's id of the movement; empty if it gives none. */
  id: string;
};

/** One line of the bank's book. */
export type Movement = {
  account: number;
  kind: MovementKind;
  ref: string;
  /** `pending`: accepted, and the bank decides later. */
  state: "approved" | "declined" | "voided" | "bound" | "expired" | "pending";
  amount: number;
  id: string;
};

/** The payment's rows. */
export type Payment = {
  state: PaymentState;
  age: Age;
  account: number;
  captured: number;
  released: number;
  reserved: number;
  refunded: number;
  /** The operation under way: the merchant's n-th request, and under which sub-reference. */
  operation: null | {
    kind: OperationKind;
    nth: number;
    amount: number;
    sub: number;
    sent: Sent;
    /**
     * The bank's name of the payment, if the bank approved it in an answer that its record did not confirm;
     * else empty.
     */
    heard: string;
  };
  /** The end of the last operation that was sent to the bank. */
  ended: null | { ref: string; state: "DONE" | "DECLINED" };
  /**
   * The bank's answers about a payment that is being reversed; `approved` is 0 until the bank has said it.
   * `last` is the last reversal that may still take effect, and `sent` the refund in its place.
   */
  reversal: { isSettled: boolean; approved: number; isRefused: boolean; last: Sent; sent: Sent; sub: number };
  /** The name in the bank's approval of the payment itself. */
  heard: string;
  watch: "none" | "waiting" | "over";
  /** Final states in the order in which the merchant got them. */
  notified: PaymentState[];
  /** The reason for which operators have a case about it; else empty. */
  openCase: string;
};

/** A refund's row in `refunds`, its reservation in `payments`, and the workers on it. */
export type Refund = {
  state: RefundState | "NONE" | "DROPPED";
  kind: "refund" | "release";
  sub: number;
  sent: Sent;
  reservation: "NONE" | "ACTIVE" | "SETTLED" | "RELEASED" | "REFUSED";
  /** For one of two, or a bank that gives no reference back: that it may be under way, and the bank's id of it. */
  mayBeUnderWay: boolean;
  externalId: string;
  /** For such a bank: the order's names before the refund was sent, or null if it was not sent. */
  namesBefore: string | null;
  /** A reservation that no process waits for is still on the bus. */
  isLate: boolean;
  /** `refunds`, and `payments` where it calls the bank for it; `before` is its calls as they were seen then. */
  hand: RefundHand;
  relay:
    | null
    | { at: "begun" | "calling"; wasSent: boolean; before: Sent }
    | { at: "answered"; wasSent: boolean; before: Sent; answer: Answer };
  openCase: string;
};

export type RefundHand =
  | null
  | { at: "reserving" | "reserved" | "refused" | "released" | "waiting" | "reported" }
  /** `seen`: the calls that the decision to send it is made by. */
  | { at: "sending"; seen: Sent }
  | { at: "asked"; seen: Sent; answer: Answer }
  | { at: "answered"; answer: Answer };

/** The memory of `payments` while it works on the payment under its lease; a crash makes it null. */
export type Hand =
  | null
  /**
   * The sending is committed, and the bank is called next; `isFirst` is the call of the process that claimed it, or a
   * reversal before which none may still take effect. `isUnseen`: the bank has said that it does not know the reversed
   * payment.
   */
  | { at: "sending" | "calling"; request: Request; isFirst: boolean; isUnseen?: true }
  /** The bank has answered, or does not answer; nothing is committed yet. */
  | { at: "answered"; request: Request; isFirst: boolean; answer: Answer; isUnseen?: true }
  /** The answer to an inquiry. */
  | { at: "asked"; about: "sale" | "reversal refund" | "operation"; answer: Answer }
  /**
   * The process has decided to reverse, or continues a reversal, and knows the bank's answer about the sale.
   */
  | { at: "reversing"; found: Answer }
  /** The bank has no money of it any longer, which is committed next. */
  | { at: "ending"; by: "reversal" | "refund" | "horizon" };

/** Events that may still happen, and those that already have. */
export type Time = {
  dayIsClosed: boolean;
  /** True if a settlement file has reported the charges at the end of all. */
  fileHasReported: boolean;
  crashes: { payments: number; refunds: number };
  /** Faults of the bank that are left: requests that it calls late, requests that it carries out twice. */
  faults: { late: number; twice: number };
  /** True if the bank has carried out a request of ours twice, so that nothing of ours can be to blame. */
  wasTwice: boolean;
  /** True if the payment itself reached the bank after the last look at it: only a settlement file shows it. */
  cameAfterWatch: boolean;
  /** Captures and cancellations that the merchant may still ask for. */
  operations: number;
  /** The bank's id of its last movement, while its history does not show it; else empty. */
  unshown: string;
};

export type World = {
  payment: Payment;
  hand: Hand;
  /** The two refunds that the merchant may ask for. */
  a: Refund;
  b: Refund;
  /** Requests between us and the bank, sorted. */
  wire: Request[];
  book: Movement[];
  time: Time;
};

export const PARTS = ["payment", "hand", "a", "b", "wire", "book", "time"] as const;

/** One story: the merchant's requests, and the bank. */
export type Scenario = {
  name: string;
  bank: Kind;
  type: "PAYMENT" | "PRE_AUTHORIZATION";
  accounts: 1 | 2;
  /** True if a soft decline is tried once more at the next account. */
  retries: boolean;
  refunds: 0 | 1 | 2;
  /** Captures and cancellations that the merchant asks for, one after another. */
  operations: number;
  crashes: number;
  late: number;
  twice: number;
  approvesParts: boolean;
  /** True if the bank may accept the payment only, and decide on it later. */
  accepts: boolean;
  /** True if the bank's answer about a payment cannot be stored, so that each attempt to do so throws. */
  throws: boolean;
  /** True if an inquiry may answer long before its answer is acted on. */
  slowInquiries: boolean;
  /**
   * True if the bank may take a second equal movement for a copy of the first: it then gives the first one's
   * answer, with its name.
   */
  copies: boolean;
  /** True if inquiries may not show the last movement for a while, which is shorter than the horizon. */
  lags: boolean;
};

/** The case of an operation whose approval has the name of another movement. */
export const NAMESAKE = "the bank names an operation after another movement";

export const nothing = (kind: Answer["kind"]): Answer => ({ kind, amount: 0, id: "" });

export function withPayment(world: World, change: Partial<Payment>): World {
  return { ...world, payment: { ...world.payment, ...change } };
}

export function withReversal(world: World, change: Partial<Payment["reversal"]>): World {
  return withPayment(world, { reversal: { ...world.payment.reversal, ...change } });
}

export function doing(world: World, hand: Hand): World {
  return { ...world, hand };
}

export type RefundName = "a" | "b";
export function withRefund(world: World, name: RefundName, change: Partial<Refund>): World {
  return { ...world, [name]: { ...world[name], ...change } };
}

/** True while a request is on its way to the bank, or its record to the bank's history. */
export function isOnWire({ wire, time }: World, ref: string, kind?: Request["kind"]): boolean {
  if (kind === undefined && time.unshown.startsWith(`${ref}#`)) return true;
  return wire.some((request) => request.ref === ref && (kind === undefined || request.kind === kind));
}

/** The movements that the bank's history shows. A history without voids shows a voided movement unchanged. */
export function shownBook({ book, time }: Pick<World, "book" | "time">): Movement[] {
  if (time.unshown === "") return book;
  const unshown = book.find(({ id }) => id === time.unshown);
  const shown = book.filter((movement) => movement !== unshown);
  if (unshown?.kind !== "void") return shown;
  return shown.map((movement) =>
    movement.account === unshown.account && movement.state === "voided"
      ? { ...movement, state: "approved" as const }
      : movement,
  );
}

/** The wire with one request more, sorted. More than two alike say nothing new. */
export function sent(wire: readonly Request[], request: Request): Request[] {
  const alike = wire.filter((other) => keyOf(other) === keyOf(request)).length;
  return alike >= ALIKE_MAX
    ? [...wire]
    : [...wire, request].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const ALIKE_MAX = 2;
const keyOf = ({ kind, ref, amount, account }: Request) => `${kind} ${ref} ${amount} ${account}`;
