import type { BankMovement, CardOperation, MovementKind, NotSent, Unknown } from "@holdfast/acquirer";
import {
  INVALID_ANSWER,
  MISMATCH,
  readMinorUnits,
  standingOf,
  type Standing,
  type Success,
} from "@holdfast/acquirer/kit";

import { readId, readRefusal, type BankAnswer } from "./answer.ts";

/** The bank's record of an order, oldest row first. */
export type OrderHistory =
  | { kind: "found"; rows: readonly HistoryRow[] }
  | { kind: "not_found" }
  | Unknown
  | NotSent;

/**
 * A row of an order. `charge` S is a sale, an authorization or a capture, which the bank does not
 * distinguish: a captured authorization is one row, with the captured amount. C is a refund. A void has no
 * row: it changes another row's state.
 */
export type HistoryRow = {
  charge: "S" | "C";
  state: RowState;
  amountMinor: bigint;
  capturedMinor?: bigint;
  hostReference?: string;
  authCode?: string;
  procReturnCode: string;
  transId?: string;
};

/**
 * A authorized, C captured, S settled, V voided, D declined, PN planned, CNCL plan cancelled, ERR failed, R to be reversed
 * by the bank. A failure is not a refusal, and a payment that the bank still has to reverse is not reversed.
 */
const MOVEMENT_STATES = {
  A: "approved",
  C: "approved",
  S: "approved",
  V: "voided",
  D: "declined",
  CNCL: "declined",
  ERR: "pending",
  PN: "pending",
  R: "pending",
} as const satisfies Record<string, BankMovement["state"]>;
type RowState = keyof typeof MOVEMENT_STATES;

/** The states of a row that took effect. */
const SUCCESS_STATES: Partial<Record<RowState, Success["state"]>> = {
  A: "held",
  C: "taken",
  S: "settled",
  V: "voided",
};

/**
 * Reads the answer to an inquiry. Only an answer for this order without any row is `not_found`: another
 * refusal, such as a wrong password, says nothing about the order. One unreadable row makes the answer
 * invalid, since it may be the decisive one.
 */
export function readHistory(answer: BankAnswer, orderId: string): OrderHistory {
  const { response, procReturnCode, errorCode, extra } = answer;
  const count = (extra.get("TRXCOUNT") ?? "").trim();
  if (answer.orderId !== "" && answer.orderId !== orderId) return MISMATCH;
  if (response === "Approved" && procReturnCode === "00" && errorCode === "") {
    if (answer.orderId !== orderId) return INVALID_ANSWER;
    const rows = readRows(extra);
    return rows && rows.length === Number(count) ? { kind: "found", rows } : INVALID_ANSWER;
  }
  if (isEmpty(answer, orderId, count)) return { kind: "not_found" };
  const refusal = readRefusal(answer, { confidential: [] });
  return refusal.kind === "declined" ? INVALID_ANSWER : refusal;
}

function isEmpty(
  { response, procReturnCode, errorCode, ...answer }: BankAnswer,
  orderId: string,
  count: string,
) {
  return (
    response === "Declined" &&
    (procReturnCode === "05" || procReturnCode === "99") &&
    errorCode === "" &&
    /^0*$/.test(answer.numCode) &&
    answer.orderId === orderId &&
    count === "0" &&
    !answer.extra.has("TRX1")
  );
}

/** The bank's order is newest first. */
function readRows(extra: ReadonlyMap<string, string>): HistoryRow[] | undefined {
  const count = [...extra.keys()].filter((name) => /^TRX\d+$/.test(name)).length;
  const texts = Array.from({ length: count }, (_, index) => extra.get(`TRX${count - index}`) ?? "");
  const rows = texts.flatMap((text) => readRow(text) ?? []);
  return count > 0 && rows.length === count ? rows : undefined;
}

/**
 * Columns by tabs: kind, state, original and captured amount in minor units, times of authorization, capture
 * and void, host reference, authorization code, result, transaction, and, at some banks, the settlement's
 * batch. The times are not read: they are the bank's clock in an unnamed zone, and movements are identified
 * by name.
 */
function readRow(text: string): HistoryRow | undefined {
  const columns = text.split("\t").map((column) => column.trim().replace(/^-$/, ""));
  if (columns.length < 11 || columns.length > 12) return undefined;
  const [charge = "", state = "", original = "", captured = ""] = columns;
  const [, , , , , , , hostReference = "", authCode = "", procReturnCode = "", transaction = ""] = columns;
  const amountMinor = readMinorUnits(original);
  const capturedMinor = captured === "" ? undefined : readMinorUnits(captured);
  const transId = readId(transaction);
  if ((charge !== "S" && charge !== "C") || !isState(state) || amountMinor === undefined) return undefined;
  const tookEffect = SUCCESS_STATES[state] !== undefined;
  // A movement that never took effect may have no name.
  if (transId === undefined && (transaction !== "" || tookEffect)) return undefined;
  if (charge === "C" && capturedMinor !== undefined && capturedMinor !== amountMinor) return undefined;
  if (captured !== "" && capturedMinor === undefined) return undefined;
  if (!/^\w{0,8}$/.test(authCode) || !/^[\w-]{0,32}$/.test(hostReference)) return undefined;
  if (!/^\w{0,8}$/.test(procReturnCode) || (tookEffect && procReturnCode !== "00")) return undefined;
  return {
    charge,
    state,
    amountMinor,
    ...(capturedMinor !== undefined && { capturedMinor }),
    ...(hostReference && { hostReference }),
    ...(authCode && { authCode }),
    procReturnCode,
    ...(transId !== undefined && { transId }),
  };
}

function isState(text: string): text is RowState {
  return Object.hasOwn(MOVEMENT_STATES, text);
}

/** The success of an order that a call is about. @param name the bank's name of it, if known. */
export function standingIn(history: OrderHistory, currency: string, name?: string): Standing {
  if (history.kind === "not_found") return { kind: "unseen" };
  if (history.kind !== "found") return history;
  const sales = history.rows.filter(({ charge }) => charge === "S");
  const isCredited = history.rows.some(
    ({ charge, state }) => charge === "C" && ["approved", "pending"].includes(MOVEMENT_STATES[state]),
  );
  const successes = sales.flatMap((row): Success[] => {
    const { state, transId: externalTransactionId, authCode, procReturnCode: resultCode } = row;
    const of = SUCCESS_STATES[state];
    if (!of || externalTransactionId === undefined) return [];
    const amountMinor = row.capturedMinor ?? row.amountMinor;
    const success = { state: of, externalTransactionId, amountMinor, currency, resultCode };
    return [{ ...success, ...(authCode !== undefined && { authCode }), ...(isCredited && { isCredited }) }];
  });
  const isUndecided = sales.some(({ state }) => MOVEMENT_STATES[state] === "pending");
  return standingOf(successes, { name, isUndecided });
}

/** The payment that an inquiry is about, as far as the inquiry says. */
export type HistoryOf = { currency: string; operation?: CardOperation; externalTransactionId?: string };

/**
 * The movements of an order. If the payment's operation is unknown, a row of kind S is shown as each of its
 * possible kinds, so that none is missed; only one of them was ever sent for a payment.
 */
export function movementsOf(rows: readonly HistoryRow[], of: HistoryOf): BankMovement[] {
  let hasOperation = false;
  return rows.flatMap((row) => {
    const kinds = row.charge === "C" ? (["refund"] as const) : kindsOf(row, of.operation, hasOperation);
    if (row.charge === "S" && row.state !== "D") hasOperation = true;
    return kinds.map((kind) => movementOf(row, kind, of));
  });
}

/**
 * After an approved authorization, a declined row is a refused capture: nothing else is sent for such an
 * order.
 */
function kindsOf(
  row: HistoryRow,
  operation: CardOperation | undefined,
  isLater: boolean,
): readonly MovementKind[] {
  if (operation === "sale") return ["sale"];
  const isRefusedCapture = isLater && row.state === "D";
  const held: MovementKind[] = isRefusedCapture ? [] : ["authorize"];
  if (isRefusedCapture || isCaptured(row)) held.push("capture");
  return operation === "authorize" ? held : ["sale", ...held];
}

function movementOf(row: HistoryRow, kind: MovementKind, of: HistoryOf): BankMovement {
  const { hostReference, authCode, procReturnCode } = row;
  const externalTransactionId = transactionOf(row, kind, of);
  const isTaken = kind === "capture" || kind === "sale";
  return {
    kind,
    state: MOVEMENT_STATES[row.state],
    amountMinor: isTaken ? (row.capturedMinor ?? row.amountMinor) : row.amountMinor,
    currency: of.currency,
    ...(externalTransactionId !== undefined && { externalTransactionId }),
    ...(authCode && { authCode }),
    ...(hostReference && { hostReference }),
    resultCode: procReturnCode,
    resultMessage: "",
  };
}

/**
 * The row of a captured authorization has one name for two movements, and which of the two it is differs by bank. A
 * name that is already known is the authorization's.
 */
function transactionOf(row: HistoryRow, kind: MovementKind, of: HistoryOf): string | undefined {
  if (!isCaptured(row) || of.operation === "sale") return row.transId;
  if (kind === "authorize") return of.externalTransactionId ?? row.transId;
  return kind === "capture" && row.transId === of.externalTransactionId ? undefined : row.transId;
}

function isCaptured({ charge, state, capturedMinor }: HistoryRow): boolean {
  return charge === "S" && (state === "C" || state === "S" || (state === "V" && capturedMinor !== undefined));
}
