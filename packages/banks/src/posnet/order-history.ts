import {
  INVALID_ANSWER,
  MISMATCH,
  PENDING,
  ROWS_MAX,
  type OrderRecord,
  type RecordRow,
  type XmlElement,
} from "@holdfast/acquirer/kit";

import { nameOf, textIn, type BankAnswer } from "./answer.ts";
import { currencyOf } from "./requests.ts";
import { classOf, NOT_FOUND } from "./result-codes.ts";

type Kind = RecordRow["kind"];

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["Sale", "sale"],
  ["Authorization", "authorize"],
  ["Capture", "capture"],
  ["Return", "refund"],
]);

/** A capture may have the `hostlogkey` of its hold. */
const CAPTURE = "/capt";
export const captureNameOf = (key: string) => key + CAPTURE;

/** The `hostlogkey` of a movement, and whether it is a capture's. */
export function keyOf(name: string): { key: string; isCapture: boolean } {
  const isCapture = name.endsWith(CAPTURE);
  return { key: isCapture ? name.slice(0, -CAPTURE.length) : name, isCapture };
}

/**
 * Reads the answer to an inquiry. Only the answer that there is no such order is `not_found`: another refusal
 * says nothing about the order. One unreadable row makes the answer invalid, since it may be the decisive
 * one. Neither the order of the rows nor their times decide anything.
 * @param orderName the order in the bank's form.
 * @param undone names of movements that took effect and have been voided. A row of theirs that no longer
 * counts is then no refusal.
 */
export function readHistory(
  { approved, code, message, root }: BankAnswer,
  orderName: string,
  undone: ReadonlySet<string> = new Set(),
): OrderRecord {
  const elements = rowsIn(root);
  const isStranger = approved === "0" && classOf("inquiry", code, message) === "credentials";
  if (isStranger) return { kind: "not_sent", reason: "credentials" };
  if (approved === "0")
    return code === NOT_FOUND && elements.length === 0 ? { kind: "not_found" } : INVALID_ANSWER;
  if (approved !== "1" || elements.length === 0 || elements.length > ROWS_MAX) return INVALID_ANSWER;
  const rows = elements.map(readRow).filter((row) => row !== undefined);
  if (rows.length !== elements.length) return INVALID_ANSWER;
  if (rows.some((row) => row.orderName !== orderName)) return MISMATCH;
  const states = [...KINDS.values()].map((kind) => statesOf(rows, kind, undone));
  const movements = states.filter((of) => of !== undefined).flat();
  return states.includes(undefined)
    ? PENDING
    : { kind: "found", movements: movements.filter((each) => !mayBeUndecided(each)) };
}

/**
 * A payment that does not count and has no issuer's code. No document says that the bank writes such a row
 * only after the issuer has answered, so it is treated like a payment that is not shown yet.
 */
function mayBeUndecided({ kind, state }: RecordRow): boolean {
  return state === "declined" && (kind === "sale" || kind === "authorize");
}

/** A single row may be in the list's own element, and each row may have a list of its own. */
function rowsIn(root: XmlElement): XmlElement[] {
  const lists = root.children.filter(({ name }) => name.toLowerCase() === "transactions");
  return lists.flatMap((list) => {
    const rows = list.children.filter(({ name }) => name.toLowerCase() === "transaction");
    return rows.length === 0 && list.children.length > 0 ? [list] : rows;
  });
}

/**
 * A row is a movement, or a movement's void (`isReverse`). `counts` is false for a failed or voided movement.
 */
type Row = Pick<RecordRow, "kind" | "amountMinor" | "currency" | "authCode"> & {
  isReverse: boolean;
  counts: boolean;
  key: string;
  orderName: string;
};

function readRow(element: XmlElement): Row | undefined {
  const [state = "", status, amount = "", code = "", authCode, orderName] = [
    "state",
    "txnStatus",
    "amount",
    "currencyCode",
    "authCode",
    "orderID",
  ].map((name) => textIn(element, name));
  const isReverse = state.endsWith(REVERSE);
  const kind = KINDS.get(isReverse ? state.slice(0, -REVERSE.length) : state);
  const [amountMinor, currency, key] = [readAmount(amount), currencyOf(code), nameOf(element)];
  if (!kind || amountMinor === undefined || !currency || orderName === undefined) return undefined;
  if ((status !== "0" && status !== "1") || authCode === undefined || !/^\w{0,8}$/.test(authCode))
    return undefined;
  const counts = status === "1";
  // A refused movement may have neither.
  if (counts && !isReverse && (amountMinor === 0n || key === undefined)) return undefined;
  return {
    kind,
    isReverse,
    counts,
    amountMinor,
    currency,
    key: key ?? "",
    orderName,
    ...(/[^0]/.test(authCode) && { authCode }),
  };
}

const REVERSE = "_Reverse";

/** Major units with a decimal comma, and points between thousands or none. */
function readAmount(text: string): bigint | undefined {
  const isAmount = /^(?:\d{1,9}|\d{1,3}(?:\.\d{3}){1,3}),\d\d$/.test(text);
  return isAmount ? BigInt(text.replace(/[.,]/g, "")) : undefined;
}

/**
 * The movements of one kind. A void is a row of its own, or a row that no longer counts, or both. A void's
 * row has the voided movement's name, or a name of its own: then it is not certain which of several movements
 * it has voided.
 * @returns undefined if the states cannot be determined.
 */
function statesOf(all: readonly Row[], kind: Kind, undone: ReadonlySet<string>): RecordRow[] | undefined {
  const rows = all.filter((row) => row.kind === kind && !row.isReverse);
  const voids = all.filter((row) => row.kind === kind && row.isReverse && row.counts);
  const isNamed = (row: Row) => voids.some(({ key }) => key !== "" && key === row.key);
  const isGone = (row: Row) => !row.counts && undone.has(externalNameOf(row)) && !isOfCapture(row, all);
  const isUndone = (row: Row) => isNamed(row) || isGone(row);
  const unnamed = voids.filter(({ key }) => key === "" || !rows.some((row) => row.key === key)).length;
  const standing = rows.filter((row) => row.counts && !isUndone(row)).length;
  const gone = rows.filter((row) => !row.counts && !isNamed(row));
  const approvedOnce = gone.filter(({ authCode }) => authCode !== undefined).length;
  // Rows that no longer count explain as many voids; the other voids belong to rows that still seem to count.
  // A row without an issuer's code was perhaps never approved: beside a row that counts it explains none.
  const hidden = unnamed - (standing === 0 ? gone.length : approvedOnce);
  if (hidden > 0 && (hidden !== standing || approvedOnce < gone.length)) return undefined;
  return rows.map((row) => {
    if (isUndone(row)) return movement(row, "voided");
    if (row.counts) return movement(row, hidden > 0 ? "voided" : "approved");
    const isExplained = unnamed > 0 && (standing === 0 || row.authCode !== undefined);
    return movement(row, isExplained ? "voided" : stateOfGone(row, all));
  });
}

/** A movement that does not count, and of which no void is shown: a payment or a refund that has an issuer's code took effect. */
function stateOfGone(row: Row, all: readonly Row[]): RecordRow["state"] {
  if (row.authCode === undefined || row.kind === "capture") return "declined";
  return isOfCapture(row, all) ? "approved" : "voided";
}

/**
 * Some records no longer count an authorization once it is captured, which does not mean that it was voided.
 * After the void of that capture it remains so, whatever was sent: such a record shows voids, and none of the
 * authorization.
 */
function isOfCapture({ kind }: Row, all: readonly Row[]): boolean {
  return kind === "authorize" && all.some((row) => row.kind === "capture" && row.counts);
}

function movement(row: Row, state: RecordRow["state"]): RecordRow {
  const { kind, amountMinor, currency, authCode, key } = row;
  return {
    kind,
    state,
    amountMinor,
    currency,
    ...(key !== "" && { externalTransactionId: externalNameOf(row) }),
    ...(authCode !== undefined && { authCode }),
    // The record has no codes.
    resultCode: state === "declined" ? "" : "00",
    resultMessage: "",
    // No field says that the day of a movement is over.
    isSettled: false,
  };
}

function externalNameOf({ kind, key }: Pick<Row, "kind" | "key">): string {
  return kind === "capture" ? captureNameOf(key) : key;
}
