import { z } from "zod";

import type { Book, Order, Posting, Row } from "./book.ts";

/**
 * Misbehaviour of any bank, whatever its protocol. It consists of modes: a setting chooses them at the start,
 * and `PUT /modes` changes them.
 */
export const unkindShape = {
  /**
   * The error of the bank's clock. It is in every time that the bank shows or writes to a file, and not in the
   * ledger's times.
   */
  clockOffsetSeconds: z.int().min(-86_400).max(86_400).default(0),
  /** The zone of its local times, by an IANA name; null: the protocol's zone. */
  zone: z.string().refine(isZone, "must be a zone of IANA").nullable().default(null),
  /** A second equal movement of an order within this time gets the first one's answer, and is not carried out. */
  duplicateWindowSeconds: z.int().min(0).max(86_400).default(0),
  /** `card`: a second equal charge or refund of another order of the card is taken for a copy, too. */
  duplicateWindowOf: z.enum(["order", "card"]).default("order"),
  /** The age from which on inquiries show a movement. */
  historyLagSeconds: z.int().min(0).max(86_400).default(0),
  /**
   * The cells of settlement files. `odd`: zeros before amounts, counts of two digits, `-` in optional cells.
   */
  cells: z.enum(["usual", "odd"]).default("usual"),
  /** The last movement of a day is in the next day's file, too. */
  repeatsLines: z.boolean().default(false),
  /** The payouts of the days that end from now on, in `GET /payouts`. */
  payouts: z.enum(["whole", "short", "missing"]).default("whole"),
};
export const unkindSchema = z.strictObject(unkindShape);
export type Unkindness = z.output<typeof unkindSchema>;
export const kindness: Unkindness = unkindSchema.parse({});

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name }).format();
    return true;
  } catch {
    return false;
  }
}

type Movement = { operation: Posting["operation"]; amountMinor: bigint; nowMs: number };

/** The approved line of the order that a bank with a duplicate window takes a movement for. */
export function duplicateOf<Line extends { at: string }>(
  order: Order<Line> | undefined,
  { operation, amountMinor, nowMs }: Movement,
  { duplicateWindowSeconds }: Pick<Unkindness, "duplicateWindowSeconds">,
): Line | undefined {
  const isRecent = ({ at }: Line) => nowMs - Date.parse(at) < duplicateWindowSeconds * 1_000;
  return order?.rows
    .map((row) => lineOf(row, operation, amountMinor))
    .find((line) => line !== undefined && isRecent(line));
}

/**
 * The approved line of the card, in any order, that a bank takes a charge or a refund for if its window is over
 * card and amount. Captures name their hold, so they are no copies of another order's.
 */
export function duplicateOfCard<Line extends { at: string; pan: string | null }>(
  book: Pick<Book<Line>, "ordersBeside">,
  line: Line,
  movement: Movement,
  modes: Pick<Unkindness, "duplicateWindowSeconds" | "duplicateWindowOf">,
): Line | undefined {
  if (modes.duplicateWindowOf === "order" || line.pan === null || movement.operation === "capture")
    return undefined;
  return book
    .ordersBeside(line)
    .map((order) => duplicateOf(order, movement, modes))
    .find((copied) => copied?.pan === line.pan);
}

function lineOf<Line>(
  row: Row<Line>,
  operation: Posting["operation"],
  amountMinor: bigint,
): Line | undefined {
  if (row.status === "declined" || row.status === "voided") return undefined;
  if (operation === "capture") return row.capturedMinor === amountMinor ? row.capture : undefined;
  const isSame = isSameKind(row, operation) && row.amountMinor === amountMinor;
  return isSame ? row.line : undefined;
}

/** True if a row's operation can be repeated by this one. Voids and releases are never repeated. */
function isSameKind({ kind, isHold }: Row<unknown>, operation: Posting["operation"]): boolean {
  if (operation === "refund") return kind === "refund";
  return kind === "payment" && operation === (isHold ? "authorize" : "sale");
}

/** The time up to which inquiries show movements. */
export function shownUntil(nowMs: number, { historyLagSeconds }: Pick<Unkindness, "historyLagSeconds">) {
  return nowMs - historyLagSeconds * 1_000;
}

/** An order as it stood at a time. A row that has settled since then stays settled. */
export function orderAsOf<Line extends { at: string }>(
  order: Order<Line> | undefined,
  untilMs: number,
): Order<Line> | undefined {
  const rows = order?.rows.filter(({ atMs }) => atMs <= untilMs).map((row) => rowAsOf(row, untilMs));
  return order && rows && rows.length > 0 ? { ...order, rows } : undefined;
}

function rowAsOf<Line extends { at: string }>(row: Row<Line>, untilMs: number): Row<Line> {
  const isAfter = (line: Line | undefined) => line !== undefined && Date.parse(line.at) > untilMs;
  const standing = row.capturedMinor === 0n ? "authorized" : "captured";
  const before = isAfter(row.void) ? { ...row, status: standing as typeof row.status, void: undefined } : row;
  if (!isAfter(row.capture)) return before;
  const hold = { captureId: undefined, capturedMinor: 0n, capture: undefined };
  return { ...before, ...hold, status: before.status === "voided" ? "voided" : "authorized" };
}

/** Writes the cells of a bank's files. */
export function cellsOf({ cells }: Pick<Unkindness, "cells">) {
  const isOdd = cells === "odd";
  return {
    amount: (text: string) =>
      isOdd ? text.replace(/\d+/, (whole) => whole.padStart(WHOLE_DIGITS, "0")) : text,
    /** The number of installments as the protocol shows it; a payment without installments has none. */
    count: (number: number, isAtOnce: boolean) =>
      isOdd ? String(isAtOnce ? 0 : number).padStart(2, "0") : String(number),
    /** A cell that a line need not have. */
    optional: (text: string) => (isOdd ? "-" : text),
  };
}
export type Cells = ReturnType<typeof cellsOf>;

/** The digits before the decimal sign in files of fixed width. */
const WHOLE_DIGITS = 15;
