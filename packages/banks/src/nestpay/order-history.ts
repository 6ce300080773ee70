import type { BankMovement, CardOperation, MovementKind, NotSent, Unknown } from "@holdfast/acquirer";
import { INVALID_ANSWER, MISMATCH, readId, verdictOf } from "./answer-verdict.ts";
import { readLocalTime } from "./read-local-time.ts";
import { readMinorUnits } from "./nestpay-amount.ts";
import type { BankAnswer } from "./read-answer.ts";

/** The bank's record of an order, oldest row first. */
export type OrderHistory =
  | { kind: "found"; rows: readonly HistoryRow[] }
  | { kind: "not_found" }
  | Unknown
  | NotSent;

/**
 * A row of an order. `charge` S is a sale, an authorization or a capture, which the bank does not tell apart: a captured
 * authorization is one row, with the captured amount. C is a refund. A void has no row: it changes the state of another.
 */
export type HistoryRow = {
  charge: "S" | "C";
  /**
   * A authorized, C captured, S settled, V voided, D declined, PN planned, CNCL plan cancelled, ERR failed, R to be reversed by
   * the bank.
   */
  state: "A" | "C" | "S" | "V" | "D" | "PN" | "CNCL" | "ERR" | "R";
  amountMinor: bigint;
  capturedMinor?: bigint;
  at: Date;
  capturedAt?: Date;
  hostReference?: string;
  authCode?: string;
  procReturnCode: string;
  transId?: string;
};

/**
 * Reads the answer to an inquiry. Nothing but an answer for this order with no row at all is `not_found`: another refusal,
 * such as a wrong password, says nothing about the order. One row that cannot be read makes the answer invalid, since it may
 * be the one that matters.
 */
export function readHistory(answer: BankAnswer, orderId: string, timeZone: string): OrderHistory {
  const { response, procReturnCode, errorCode, extra } = answer;
  const count = (extra.get("TRXCOUNT") ?? "").trim();
  if (answer.orderId !== "" && answer.orderId !== orderId) return MISMATCH;
  if (response === "Approved" && procReturnCode === "00" && errorCode === "") {
    if (answer.orderId !== orderId) return INVALID_ANSWER;
    const rows = readRows(extra, timeZone);
    return rows && rows.length === Number(count) ? { kind: "found", rows } : INVALID_ANSWER;
  }
  if (isEmpty(answer, orderId, count)) return { kind: "not_found" };
  const verdict = verdictOf(answer, { orderId, confidential: [] });
  return verdict.kind === "unknown" || verdict.kind === "not_sent" ? verdict : INVALID_ANSWER;
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
function readRows(extra: ReadonlyMap<string, string>, timeZone: string): HistoryRow[] | undefined {
  const rows: HistoryRow[] = [];
  const names = [...extra.keys()].filter((name) => /^TRX\d+$/.test(name));
  if (names.length === 0) return undefined;
  for (let number = names.length; number >= 1; number -= 1) {
    const row = readRow(extra.get(`TRX${number}`) ?? "", timeZone);
    if (!row) return undefined;
    rows.push(row);
  }
  return rows;
}

/**
 * Columns by tabs: kind, state, original and captured amount in minor units, times of authorization, capture and void in the
 * bank's zone, host reference, authorization code, result, transaction, and, of some banks, the settlement's batch.
 */
function readRow(text: string, timeZone: string): HistoryRow | undefined {
  const columns = text.split("\t").map((column) => column.trim().replace(/^-$/, ""));
  if (columns.length < 11 || columns.length > 12) return undefined;
  const [charge = "", state = "", original = "", captured = "", authorizedAt = "", capturedTime = ""] =
    columns;
  const [, , , , , , , hostReference = "", authCode = "", procReturnCode = "", transaction = ""] = columns;
  const amountMinor = readMinorUnits(original);
  const capturedMinor = captured === "" ? undefined : readMinorUnits(captured);
  const at = readLocalTime(authorizedAt, timeZone);
  const capturedAt = capturedTime === "" ? undefined : readLocalTime(capturedTime, timeZone);
  const transId = readId(transaction, { confidential: [] });
  if (!isCharge(charge) || !isState(state) || amountMinor === undefined || !at) return undefined;
  // A movement that never took effect may have no name.
  if (transId === undefined && (transaction !== "" || TOOK_EFFECT.has(state))) return undefined;
  if (charge === "C" && capturedMinor !== undefined && capturedMinor !== amountMinor) return undefined;
  if ((captured !== "" && capturedMinor === undefined) || (capturedTime !== "" && !capturedAt))
    return undefined;
  if (!/^\w{0,8}$/.test(authCode) || !/^[\w-]{0,32}$/.test(hostReference)) return undefined;
  if (!/^\w{0,8}$/.test(procReturnCode) || (TOOK_EFFECT.has(state) && procReturnCode !== "00"))
    return undefined;
  return {
    charge,
    state,
    amountMinor,
    ...(capturedMinor !== undefined && { capturedMinor }),
    at,
    ...(capturedAt && { capturedAt }),
    ...(hostReference && { hostReference }),
    ...(authCode && { authCode }),
    procReturnCode,
    ...(transId !== undefined && { transId }),
  };
}

/** The payment that an inquiry is about, as far as the inquiry says. */
export type HistoryOf = { currency: string; operation?: CardOperation; externalTransactionId?: string };

/**
 * The movements of an order. Without the payment's operation, a row of kind S is shown as each that it may be, so that
 * none is missed; only one of them was ever sent for a payment.
 */
export function movementsOf(rows: readonly HistoryRow[], of: HistoryOf): BankMovement[] {
  let hasOperation = false;
  return rows.flatMap((row) => {
    const kinds = row.charge === "C" ? (["refund"] as const) : kindsOf(row, of.operation, hasOperation);
    if (row.charge === "S" && row.state !== "D") hasOperation = true;
    return kinds.map((kind) => movementOf(row, kind, of));
  });
}

/** After an authorization was approved, a declined row is a refused capture: nothing else is sent for such an order. */
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
  const at = kind === "capture" && isCaptured(row) ? row.capturedAt : row.at;
  return {
    kind,
    state: stateOf(row),
    amountMinor:
      kind === "capture" || kind === "sale" ? (row.capturedMinor ?? row.amountMinor) : row.amountMinor,
    currency: of.currency,
    ...(externalTransactionId !== undefined && { externalTransactionId }),
    ...(authCode && { authCode }),
    ...(hostReference && { hostReference }),
    resultCode: procReturnCode,
    resultMessage: "",
    ...(at && { at }),
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

function stateOf({ state }: HistoryRow): BankMovement["state"] {
  switch (state) {
    case "A":
    case "C":
    case "S":
      return "approved";
    case "V":
      return "voided";
    case "D":
    case "CNCL":
      return "declined";
    // A failure is not a refusal, and a payment that the bank still has to reverse is not reversed.
    case "ERR":
    case "PN":
    case "R":
      return "pending";
    default:
      return state satisfies never;
  }
}

function isCaptured({ charge, state, capturedMinor }: HistoryRow): boolean {
  return charge === "S" && (state === "C" || state === "S" || (state === "V" && capturedMinor !== undefined));
}

const STATES = ["A", "C", "S", "V", "D", "PN", "CNCL", "ERR", "R"] as const satisfies HistoryRow["state"][];
const TOOK_EFFECT: ReadonlySet<string> = new Set(["A", "C", "S", "V"]);

function isState(text: string): text is HistoryRow["state"] {
  return (STATES as readonly string[]).includes(text);
}

function isCharge(text: string): text is HistoryRow["charge"] {
  return text === "S" || text === "C";
}
