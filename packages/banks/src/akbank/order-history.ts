import {
  amount,
  currencyOfNumber,
  INVALID_ANSWER,
  MISMATCH,
  PENDING,
  ROWS_MAX,
  type OrderRecord,
  type RecordRow,
} from "@holdfast/acquirer/kit";
import { z } from "zod";

import { isApproval, nameFields, nameOf, type BankAnswer } from "./answer.ts";
import { TRANSACTIONS } from "./requests.ts";
import { APPROVED, meaningOf, NOT_FOUND } from "./result-codes.ts";

const text = z
  .string()
  .max(64)
  .nullish()
  .transform((given) => given ?? "");

const rowShape = z.object({
  txnCode: z.string(),
  responseCode: text,
  hostResponseCode: text,
  txnStatus: text,
  preAuthStatus: text,
  amount: amount.nullish().transform((given) => given ?? 0n),
  currencyCode: z.string(),
  installCount: z
    .string()
    .regex(/^\d{1,2}$/)
    .nullish()
    .transform((given) => Math.max(1, Number(given ?? 1))),
  authCode: text.pipe(z.string().regex(/^\w{0,8}$/)),
  orderId: text,
  orgOrderId: text,
  ...nameFields,
});

/**
 * Reads the answer to an inquiry. Only the answer that there is no such order is `not_found`: another refusal
 * says nothing about the order. One unreadable row makes the answer invalid, since it may be the decisive
 * one. The order of the rows and their times decide nothing, since movements are identified by name.
 */
export function readHistory(answer: BankAnswer, orderId: string): OrderRecord {
  const listed = z
    .array(z.unknown())
    .max(ROWS_MAX)
    .safeParse(answer.rows ?? []);
  if (!listed.success) return INVALID_ANSWER;
  const hasRows = listed.data.length > 0;
  if (answer.code === NOT_FOUND && !hasRows) return { kind: "not_found" };
  if (!isApproval(answer)) return INVALID_ANSWER;
  if (!hasRows) return isEmptyList(answer, orderId) ? { kind: "not_found" } : INVALID_ANSWER;
  const rows = listed.data.map((row) => readRow(row, orderId));
  if (rows.some((row) => row === "another")) return MISMATCH;
  const movements = rows.filter((row) => row !== undefined && row !== "another");
  if (movements.length !== rows.length) return INVALID_ANSWER;
  return lacksRefund(movements) ? PENDING : { kind: "found", movements: withCaptures(movements) };
}

function isEmptyList({ rows, orderId: named }: BankAnswer, orderId: string): boolean {
  return Array.isArray(rows) && named === orderId;
}

const KINDS: ReadonlyMap<string, RecordRow["kind"]> = new Map(
  (["sale", "authorize", "capture", "refund"] as const).map((kind) => [TRANSACTIONS[kind], kind]),
);

type HistoryRow = { movement: RecordRow; isCaptured: boolean; isRefunded: boolean };

function readRow(given: unknown, orderId: string): HistoryRow | "another" | undefined {
  const parsed = rowShape.safeParse(given);
  if (!parsed.success) return undefined;
  const row = parsed.data;
  const kind = KINDS.get(row.txnCode);
  const currency = currencyOfNumber(row.currencyCode);
  const state = stateOf(row);
  const externalTransactionId = nameOf(row);
  if (!kind || !currency || !state) return undefined;
  // A capture or a refund has an order of its own, and ours beside it.
  const order =
    row.orgOrderId !== "" && (kind === "capture" || kind === "refund") ? row.orgOrderId : row.orderId;
  if (order !== orderId) return "another";
  // A refused movement may have neither.
  if (state !== "declined" && (row.amount === 0n || externalTransactionId === undefined)) return undefined;
  return {
    movement: {
      kind,
      state,
      amountMinor: row.amount,
      currency,
      ...(externalTransactionId !== undefined && { externalTransactionId }),
      ...(row.authCode !== "" && { authCode: row.authCode }),
      resultCode: state === "declined" ? meaningOf(row.responseCode, row.hostResponseCode).code : "00",
      resultMessage: "",
      installmentCount: row.installCount,
      // No field says that the day of a movement is over.
      isSettled: false,
    },
    isCaptured: row.preAuthStatus === "C",
    isRefunded: row.txnStatus === REFUNDED,
  };
}

/**
 * The code decides whether a movement took effect, and the status whether it still does. What a row without a
 * code, of a code of no list, or of another status became is not decided. @returns undefined if gateway and
 * host contradict each other.
 */
function stateOf(row: z.output<typeof rowShape>): RecordRow["state"] | undefined {
  const { responseCode: code, hostResponseCode: hostCode, txnStatus } = row;
  if (isApproval({ code, hostCode })) return STATES.get(txnStatus) ?? "pending";
  if (code === APPROVED) return undefined;
  const isRefusal = code !== "" && meaningOf(code, hostCode).codeClass !== undefined;
  return isRefusal ? "declined" : "pending";
}

const REFUNDED = "R";

/** Normal, cancelled, refunded. */
const STATES: ReadonlyMap<string, RecordRow["state"]> = new Map([
  ["N", "approved"],
  ["V", "voided"],
  [REFUNDED, "approved"],
]);

/**
 * A refund has a row of its own, which may appear a moment after the status of its payment, and it may be the
 * refund in question.
 */
function lacksRefund(rows: readonly HistoryRow[]): boolean {
  const hasRefund = rows.some(({ movement: { kind, state } }) => kind === "refund" && state !== "declined");
  return !hasRefund && rows.some(({ isRefunded }) => isRefunded);
}

/** The capture of a hold that is captured may be a moment behind it: until it is shown, nothing of the order is decided. */
function withCaptures(rows: readonly HistoryRow[]): RecordRow[] {
  const isShown = rows.some(
    ({ movement: { kind, state } }) => kind === "capture" && state !== "declined" && state !== "voided",
  );
  return rows.map(({ movement, isCaptured }) =>
    isCaptured && !isShown && movement.kind === "authorize" && movement.state === "approved"
      ? { ...movement, state: "pending" }
      : movement,
  );
}
