import {
  currencyOfNumber,
  INVALID_ANSWER,
  readMinorUnits,
  ROWS_MAX,
  type OrderRecord,
  type RecordRow,
  type XmlElement,
} from "@holdfast/acquirer/kit";

import { elementsAt, isApproval, readName, readRefusal, type BankAnswer } from "./answer.ts";
import { NOT_FOUND } from "./result-codes.ts";

const KINDS: ReadonlyMap<string, RecordRow["kind"]> = new Map([
  ["sales", "sale"],
  ["preauth", "authorize"],
  ["postauth", "capture"],
  ["refund", "refund"],
]);

/**
 * Reads the answer to an inquiry. Only the answer that there is no such order is `not_found`: another refusal
 * says nothing about the order. One unreadable row makes the answer invalid, since it may be the decisive
 * one. Of a date only its presence is read: dates have no time, and movements are identified by name.
 */
export function readHistory(answer: BankAnswer): OrderRecord {
  const elements = elementsAt(answer.root, ["Order", "OrderHistInqResult", "OrderTxnList", "OrderTxn"]);
  if (isApproval(answer)) {
    const rows = elements.map(readRow);
    const areRead = rows.length > 0 && rows.length <= ROWS_MAX && rows.every((row) => row !== undefined);
    return areRead ? { kind: "found", movements: withVoids(rows) } : INVALID_ANSWER;
  }
  const refusal = readRefusal(answer, []);
  if (refusal.kind !== "declined") return refusal;
  return NOT_FOUND.has(refusal.resultCode) && elements.length === 0 ? { kind: "not_found" } : INVALID_ANSWER;
}

type VoidRow = { kind: "void"; state: RecordRow["state"] };

function readRow(row: XmlElement): RecordRow | VoidRow | undefined {
  const texts = new Map(row.children.map(({ name, text }) => [name, text.trim()]));
  if (texts.size !== row.children.length) return undefined;
  const word = (name: string) => texts.get(name) ?? "";
  const status = word("Status");
  const state = STATES.get(status) ?? "pending";
  const code = word("ReturnCode");
  if (!/^\w{0,4}$/.test(code) || (state === "approved" && code !== "" && code !== "00")) return undefined;
  if (word("Type") === "void") return { kind: "void", state };
  const kind = KINDS.get(word("Type"));
  const currency = currencyOfNumber(word("CurrencyCode"));
  const amountMinor = readMinorUnits(word(kind === "authorize" ? "PreAuthAmount" : "AuthAmount") || "0");
  const isVoided = readVoidDate(word("VoidDate"));
  const externalTransactionId = readName(word("RetrefNum"));
  const authCode = word("AuthCode");
  const installments = word("InstallmentCnt");
  if (!kind || !currency || amountMinor === undefined || isVoided === undefined) return undefined;
  if (!/^\w{0,8}$/.test(authCode) || !/^\d{0,2}$/.test(installments)) return undefined;
  // A refused movement may have neither.
  if (state !== "declined" && (amountMinor === 0n || externalTransactionId === undefined)) return undefined;
  return {
    kind,
    state: state === "approved" && isVoided ? "voided" : state,
    amountMinor,
    currency,
    ...(externalTransactionId !== undefined && { externalTransactionId }),
    ...(authCode && { authCode }),
    resultCode: code || (state === "declined" ? "" : "00"),
    resultMessage: "",
    installmentCount: Math.max(1, Number(installments)),
    isSettled: !["", "N"].includes(word("Settlement")),
  };
}

/** The documented texts. An undocumented text decides nothing. */
const STATES: ReadonlyMap<string, RecordRow["state"]> = new Map([
  ["00", "approved"],
  ["01", "declined"],
]);

/** @returns undefined for a text that is neither a day nor one of the bank's notations for no day. */
function readVoidDate(text: string): boolean | undefined {
  if (/^(?:0*|null)$/.test(text)) return false;
  return /^\d{8}$/.test(text) ? true : undefined;
}

/**
 * Some answers may show a void as a row that does not name the voided movement. If no date marks the target,
 * it is the order's only movement; with several movements nothing is certain until somebody has looked.
 */
function withVoids(all: readonly (RecordRow | VoidRow)[]): RecordRow[] {
  const rows = all.filter((row) => row.kind !== "void");
  const voids = all.filter(({ kind, state }) => kind === "void" && state !== "declined");
  const open = rows.filter(({ state }) => state === "approved");
  const unmarked = voids.length - rows.filter(({ state }) => state === "voided").length;
  if (unmarked <= 0 || open.length === 0) return rows;
  const isCertain = unmarked >= open.length && voids.every(({ state }) => state === "approved");
  return rows.map((row) =>
    row.state === "approved" ? { ...row, state: isCertain ? "voided" : "pending" } : row,
  );
}
