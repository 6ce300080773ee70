import type { Answer, Book, Request } from "./bank.ts";

/** How old a payment is, by what the rules ask about. */
export const AGES = ["young", "unseen", "too old to adopt", "past the horizon"] as const;
export type Age = (typeof AGES)[number];

/** Whether a movement that may have been sent can still arrive. */
export type Sent = "never" | "may arrive" | "cannot arrive";

/** What is committed: rows of payments and refunds. */
export type Rows = {
  payment: "AUTHORIZING" | "REVERSING" | "SUCCESS" | "FAILED";
  age: Age;
  /** What the bank has said of a payment that is to be reversed. */
  reversal: { isSettled: boolean; approvedHalf: boolean; hasRefused: boolean; refundSent: Sent };
  watch: "none" | "waiting" | "over";
  refund: "none" | "EXECUTING" | "SETTLING" | "FAILING";
  refundSent: Sent;
};

/** What a process has in its memory while it works on its row; a crash makes it null. */
export type Working =
  | null
  /** The call is on its way, and its answer is waited for. */
  | { at: "calling"; request: Request }
  /** The bank has answered, or does not; nothing is committed of it yet. */
  | { at: "answered"; request: Request; answer: Answer }
  /** Decided to reverse, or going on with it, and knows what the bank says of the sale. */
  | { at: "reversing"; found: Answer }
  /** Nothing of it is left at the bank, which is committed next. */
  | { at: "ending"; by: "reversal" | "refund" | "horizon" }
  /** The refund's sending is committed, and the bank is called next. */
  | { at: "sending"; request: Request };

export type World = {
  rows: Rows;
  payments: Working;
  refunds: Working;
  /** Requests between us and the bank, sorted. */
  wire: Request[];
  book: Book;
  dayIsClosed: boolean;
  crashes: { payments: number; refunds: number };
};

export function withRows(world: World, rows: Partial<Rows>): World {
  return { ...world, rows: { ...world.rows, ...rows } };
}

export function withReversal(world: World, reversal: Partial<Rows["reversal"]>): World {
  return withRows(world, { reversal: { ...world.rows.reversal, ...reversal } });
}

export function onWire({ wire }: World, operation: Request["operation"]): boolean {
  return wire.some((request) => request.operation === operation);
}
