import type { Repetition } from "@holdfast/acquirer";

/** What the abstract bank can do. */
export type Kind = { bindsUnseen: boolean; repetition: Repetition };

export const AMOUNTS = { whole: 10n, half: 5n } as const;
export type Amount = keyof typeof AMOUNTS;

/** The bank's book about one order: a sale, its reversal, and refunds of it under two references. */
export type Book = {
  sale: "none" | "whole" | "half" | "declined";
  isBound: boolean;
  isReversed: boolean;
  /** Its day was closed while the sale stood. */
  isSettled: boolean;
  refunds: Record<RefundReference, RefundBook>;
};
/** The refund of a settled charge that is given back, and one that the merchant asked for (a half). */
export type RefundReference = "undo" | "refund";
export type RefundBook = { approved: number; declined: number };

export const EMPTY_BOOK: Book = {
  sale: "none",
  isBound: false,
  isReversed: false,
  isSettled: false,
  refunds: { undo: { approved: 0, declined: 0 }, refund: { approved: 0, declined: 0 } },
};

/** A request of ours. */
export type Request = { operation: "sale" | "reverse" | RefundReference; amount: Amount };

export type Answer = {
  kind:
    | "approved"
    | "declined"
    | "reversed"
    | "nothing_found"
    | "settled"
    | "refused"
    | "not_found"
    | "unknown"
    | "not_sent";
  amount?: Amount;
};

type Done = { book: Book; answer: Answer; label: string };

/** Every way in which the bank may carry out a request that has reached it. */
export function carryOut(book: Book, request: Request, kind: Kind): Done[] {
  switch (request.operation) {
    case "sale":
      return sell(book);
    case "reverse":
      return reverse(book, request.amount, kind);
    case "undo":
    case "refund":
      return refund(book, request.operation, request.amount, kind);
    default:
      return request.operation satisfies never;
  }
}

function sell(book: Book): Done[] {
  if (book.isBound) return [{ book, answer: { kind: "declined" }, label: "declines the bound sale" }];
  return [
    {
      book: { ...book, sale: "whole" },
      answer: { kind: "approved", amount: "whole" },
      label: "approves the sale",
    },
    {
      book: { ...book, sale: "half" },
      answer: { kind: "approved", amount: "half" },
      label: "approves half of the sale",
    },
    { book: { ...book, sale: "declined" }, answer: { kind: "declined" }, label: "declines the sale" },
  ];
}

function reverse(book: Book, amount: Amount, { bindsUnseen, repetition }: Kind): Done[] {
  if (book.isReversed || book.isBound) {
    const answer: Answer = { kind: repetition === "replay" ? "reversed" : "unknown" };
    return [{ book, answer, label: "gets a reversal again" }];
  }
  if (book.sale === "none") {
    return bindsUnseen
      ? [{ book: { ...book, isBound: true }, answer: { kind: "reversed" }, label: "binds the unseen sale" }]
      : [{ book, answer: { kind: "nothing_found" }, label: "finds nothing to reverse" }];
  }
  if (book.sale === "declined")
    return [{ book, answer: { kind: "reversed" }, label: "has nothing to reverse" }];
  if (amount !== book.sale) {
    return [{ book, answer: { kind: "unknown" }, label: "does not know a sale of that amount" }];
  }
  if (book.isSettled) return [{ book, answer: { kind: "settled" }, label: "has settled the sale" }];
  return [
    { book: { ...book, isReversed: true }, answer: { kind: "reversed" }, label: "reverses the sale" },
    { book, answer: { kind: "refused" }, label: "refuses the reversal" },
  ];
}

function refund(book: Book, reference: RefundReference, amount: Amount, { repetition }: Kind): Done[] {
  const known = book.refunds[reference];
  const isRepeat = known.approved + known.declined > 0;
  if (isRepeat && repetition === "replay") {
    const kind = known.approved > 0 ? "approved" : "declined";
    return [{ book, answer: { kind, amount }, label: `repeats its answer to the ${reference}` }];
  }
  if (known.approved > 0 && repetition === "refuses_second_success") {
    return [{ book, answer: { kind: "unknown" }, label: `refuses a second ${reference}` }];
  }
  const declined: Done = {
    book: withRefund(book, reference, { ...known, declined: 1 }),
    answer: { kind: "declined" },
    label: `declines the ${reference}`,
  };
  const leftMinor =
    book.sale === "whole" || book.sale === "half" ? AMOUNTS[book.sale] - refundedMinor(book) : 0n;
  if (book.isReversed || AMOUNTS[amount] > leftMinor) return [declined];
  return [
    {
      book: withRefund(book, reference, { ...known, approved: known.approved + 1 }),
      answer: { kind: "approved", amount },
      label: `pays the ${reference}`,
    },
    declined,
  ];
}

function refundedMinor({ sale, refunds }: Book): bigint {
  const whole = sale === "half" ? AMOUNTS.half : AMOUNTS.whole;
  return BigInt(refunds.undo.approved) * whole + BigInt(refunds.refund.approved) * AMOUNTS.half;
}

function withRefund(book: Book, reference: RefundReference, entry: RefundBook): Book {
  return { ...book, refunds: { ...book.refunds, [reference]: entry } };
}

/** What an inquiry about a reference says. */
export function tell(book: Book, about: "sale" | RefundReference): Answer {
  if (about === "sale") {
    if (book.isReversed || book.isBound) return { kind: "reversed" };
    if (book.sale === "none") return { kind: "not_found" };
    if (book.sale === "declined") return { kind: "declined" };
    return { kind: "approved", amount: book.sale };
  }
  const { approved, declined } = book.refunds[about];
  if (approved > 0) {
    return { kind: "approved", amount: about === "refund" || book.sale === "half" ? "half" : "whole" };
  }
  return { kind: declined > 0 ? "declined" : "not_found" };
}
