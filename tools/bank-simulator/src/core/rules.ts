import { netMinor, type Named, type Order, type Row } from "./book.ts";

/** A call and the movements that it is about, as the conditions see them. */
export type Case<Line> = {
  /** The call's order; undefined if the bank has no order with this id. */
  order: Order<Line> | undefined;
  /** The movement that the call names, and the name itself. */
  row: Row<Line> | undefined;
  id: string;
  amountMinor: bigint;
  /** Undefined if the call does not name one. */
  currency: string | undefined;
  /** The bank's open day. */
  day: number;
  nowMs: number;
};

export type Condition<Of> = (of: Of) => boolean;

/** A condition, and the verdict on a call for which it holds. */
export type Rule<Of, Verdict> = readonly [holds: Condition<Of>, verdict: Verdict];

/**
 * The verdict of the first matching rule; undefined approves. A protocol's rules of life are such lists, in
 * the order in which its bank checks a call.
 */
export function verdictOf<Of, Verdict>(rules: readonly Rule<Of, Verdict>[], of: Of): Verdict | undefined {
  return rules.find(([holds]) => holds(of))?.[1];
}

/** All conditions together. */
export function all<Of = Case<unknown>>(...conditions: Condition<NoInfer<Of>>[]): Condition<Of> {
  return (of) => conditions.every((holds) => holds(of));
}

export function not<Of = Case<unknown>>(condition: Condition<NoInfer<Of>>): Condition<Of> {
  return (of) => !condition(of);
}

type Of = Case<unknown>;
type OfRow = Pick<Of, "row">;
type OfOrder = Pick<Of, "order">;

// Conditions on the amount and the currency of a call.

export const isZero = ({ amountMinor }: Pick<Of, "amountMinor">) => amountMinor === 0n;
export const isNegative = ({ amountMinor }: Pick<Of, "amountMinor">) => amountMinor < 0n;

export const isOtherCurrency = ({ row, currency }: OfRow & Pick<Of, "currency">) =>
  currency !== undefined && row !== undefined && currency !== row.currency;

/** True for more than the rest of the authorization, plus `percent` of it if the bank allows an excess. */
export const isOverHold =
  (percent = 100n) =>
  ({ row, amountMinor }: OfRow & Pick<Of, "amountMinor">) =>
    row !== undefined && amountMinor * 100n > (row.amountMinor - row.releasedMinor) * percent;

export const isOtherThanHold = ({ row, amountMinor }: OfRow & Pick<Of, "amountMinor">) =>
  amountMinor !== row?.amountMinor;

/** True for a part: neither the whole payment nor its whole rest. */
export const isPart = ({ row, amountMinor }: OfRow & Pick<Of, "amountMinor">) =>
  row !== undefined && amountMinor !== row.amountMinor && amountMinor !== row.amountMinor - row.releasedMinor;

export const isOverNet = ({ order, amountMinor }: OfOrder & Pick<Of, "amountMinor">) =>
  order === undefined || amountMinor > netMinor(order);

export const isNetZero = ({ order }: OfOrder) => order === undefined || netMinor(order) === 0n;

// The movement that a call names.

export const isUnknown = ({ row }: OfRow) => row === undefined || row.status === "declined";

/** The name is of no payment, approved or declined: of nothing, of a refund or of another follow-up. */
export const namesNoPayment = ({ row, id }: OfRow & Pick<Of, "id">) =>
  row === undefined || row.kind !== "payment" || row.id !== id;

export const namesNoApprovedPayment = (of: OfRow & Pick<Of, "id">) => namesNoPayment(of) || isUnknown(of);

export const isVoided = ({ row }: OfRow) => row?.status === "voided";
export const isSettled = ({ row }: OfRow) => row?.status === "settled";
export const isOpenHold = ({ row }: OfRow) => row?.status === "authorized";
export const isSale = ({ row }: OfRow) => row?.kind === "payment" && !row.isHold;
export const isCapturedHold = ({ row }: OfRow) => row?.isHold === true && row.capturedMinor > 0n;
export const isUncaptured = ({ row }: OfRow) => row?.capturedMinor === 0n;

/** A part of the order's money has gone back already. */
export const isRefunded = ({ order }: OfOrder) =>
  order?.rows.some((row) => row.kind === "refund" && isStanding(row)) ?? false;

/** True if the day of the row is over. Money of an ended day is settled; a hold is not. */
export const isOfEndedDay = ({ row, day }: OfRow & Pick<Of, "day">) =>
  row !== undefined && (row.status === "settled" || row.day < day);

export const isOlderThan =
  (ms: number) =>
  ({ row, nowMs }: OfRow & Pick<Of, "nowMs">) =>
    row !== undefined && nowMs - row.atMs > ms;

// The order that a call names.

export const hasNoOrder = ({ order }: OfOrder) => order === undefined;

/** True if no payment of the order was ever approved. */
export const hasNoPayment = ({ order }: OfOrder) => approvedPayments(order).length === 0;

/** True if a payment of the order stands: a bank with one success an order refuses the next. */
export const hasPayment = ({ order }: OfOrder) => approvedPayments(order).some((row) => isStanding(row));

/** True if a success has used up the order id, even one that was voided. */
export const hadPayment = ({ order }: OfOrder) => approvedPayments(order).length > 0;

export const hasOpenHold = ({ order }: OfOrder) =>
  approvedPayments(order).some(({ status }) => status === "authorized");

/** True if the order has captured money whose day has not ended. */
export const hasOpenDay = ({ order }: OfOrder) =>
  approvedPayments(order).some(({ status }) => status === "captured");

export const hasOnlySales = ({ order }: OfOrder) => {
  const payments = approvedPayments(order);
  return payments.length > 0 && payments.every(({ isHold }) => !isHold);
};

/** Approved and not voided. */
export function isStanding({ status }: Pick<Row<unknown>, "status">): boolean {
  return status !== "declined" && status !== "voided";
}

export function approvedPayments<Line>(order: Order<Line> | undefined): Row<Line>[] {
  return order?.rows.filter(({ kind, status }) => kind === "payment" && status !== "declined") ?? [];
}

// The name under which a call comes.

export type Repetition = "replay" | "refuses_second_success" | "none";

/**
 * The treatment of a call under a name that has a line: the first outcome again (`replay`), a refusal where that was an
 * approval (`refuse`), or a judgement as if it were the first.
 */
export function repeatOf(
  named: Pick<Named<unknown>, "line" | "isApproved"> | undefined,
  repetition: Repetition,
): "replay" | "refuse" | "judge" {
  if (named?.line === undefined || repetition === "none") return "judge";
  if (repetition === "replay") return "replay";
  return named.isApproved ? "refuse" : "judge";
}
