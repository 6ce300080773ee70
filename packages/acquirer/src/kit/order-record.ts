import type { BankMovement, InquiryOutcome, NotSent } from "../acquirer.ts";
import type { Order } from "./order-acquirer.ts";
import { MISMATCH } from "./outcomes.ts";
import { standingOf, type Standing, type Success } from "./standing.ts";

/** A bank's record of an order: the port's answer to an inquiry, with the other fields of its rows. */
export type OrderRecord =
  | { kind: "found"; movements: readonly RecordRow[] }
  | Exclude<InquiryOutcome, { kind: "found" }>;

/** A movement of an order. A void is not a movement of its own: it is the state of the voided movement. */
export type RecordRow = BankMovement & {
  kind: "sale" | "authorize" | "capture" | "refund";
  state: "approved" | "declined" | "voided" | "pending";
  /** Absent if the record does not have it. */
  installmentCount?: number;
  /** True if the movement's business day is over by the record. */
  isSettled: boolean;
};

/** The success of an order that a call is about. @param name the bank's name of it, if known. */
export function standingIn(record: OrderRecord, order: Order, name?: string): Standing {
  if (record.kind === "not_found") return { kind: "unseen" };
  if (record.kind !== "found") return record;
  const moved = record.movements.filter(({ state }) => state !== "declined");
  const payments = moved.filter(({ kind }) => kind !== "refund");
  const { currency, installmentCount, shownAs } = order;
  const isOther =
    moved.some((row) => row.currency !== currency) ||
    (installmentCount !== undefined &&
      payments.some((row) => (row.installmentCount ?? installmentCount) !== installmentCount)) ||
    (shownAs !== undefined && payments.some(({ kind }) => kind !== "capture" && kind !== shownAs));
  if (isOther) return MISMATCH;
  if (payments.some(({ state }) => state === "pending")) return { kind: "pending" };
  const isCredited = moved.some(({ kind, state }) => kind === "refund" && state !== "voided");
  const isCaptured = payments.some(({ kind, state }) => kind === "capture" && state === "approved");
  const successes = payments
    // A captured authorization does not count; after the void of its capture it counts again.
    .filter(({ kind, state }) => !(kind === "authorize" && state === "approved" && isCaptured))
    .map((row): Success => ({ ...successOf(row), ...(isCredited && { isCredited }) }));
  return standingOf(successes, { name });
}

function successOf(row: RecordRow): Success {
  const { kind, amountMinor, currency, externalTransactionId = "", authCode, resultCode } = row;
  const taken = row.isSettled ? "settled" : "taken";
  return {
    state: row.state === "voided" ? "voided" : kind === "authorize" ? "held" : taken,
    amountMinor,
    currency,
    externalTransactionId,
    ...(authCode !== undefined && { authCode }),
    resultCode,
  };
}

/** A movement that the bank did not refuse has a name. */
export type NamedRow = RecordRow & { externalTransactionId: string };

/**
 * The movement that a follow-up is about. As long as the record does not show it, nothing of the follow-up is sent.
 * @param name where it is known.
 */
export function targetRow(record: OrderRecord, kind: RecordRow["kind"], name?: string): NamedRow | NotSent {
  if (record.kind === "not_sent") return record;
  const [row, ...others] = (record.kind === "found" ? record.movements : [])
    .filter(isNamed)
    .filter(
      (each) => each.kind === kind && (name ?? each.externalTransactionId) === each.externalTransactionId,
    );
  return row && others.length === 0 ? row : { kind: "not_sent" };
}

function isNamed(row: RecordRow): row is NamedRow {
  return row.state !== "declined" && row.externalTransactionId !== undefined;
}
