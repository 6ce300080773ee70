import { isReversing, wasApproved, type Order, type Row } from "../bank/order.ts";
import { hostDate, inquiryTime } from "../bank-time.ts";
import type { Merchant } from "../merchants.ts";
import type { Modes } from "../modes.ts";
import type { Cc5Response } from "./cc5-response.ts";

/** The facts with which rows are shown. Times are epoch milliseconds. */
export type View = {
  orderId: string;
  merchant: Merchant;
  modes: Modes;
  transIdAfterCapture: "capture" | "hold";
  nowMs: number;
  reversalMs: number;
  /** Shown beyond every amount, where a fault makes this answer wrong. */
  extraMinor: bigint;
};

/**
 * The answer to ORDERSTATUS: the last approved movement, or the last failed one where none was approved (Nestpay
 * protocol, inquiry). `Approved` says that the inquiry has worked, not the order.
 */
export function statusResponse(order: Order | undefined, view: View): Cc5Response {
  const row = order?.rows.findLast((each) => wasApproved(each)) ?? order?.rows.at(-1);
  if (!order || !row) return unknownStatus(view);
  const facts = factsOf(order, row, view);
  return {
    OrderId: order.orderId,
    GroupId: order.groupId,
    Response: "Approved",
    AuthCode: row.authCode ?? "",
    HostRefNum: row.hostReference ?? "",
    ProcReturnCode: "00",
    TransId: facts.TRANS_ID ?? "",
    ErrMsg: `Record(s) found for ${order.orderId}`,
    Extra: { ...facts, NUMCODE: "0", ORDERSTATUS: statusLine(facts) },
  };
}

/** The answer to ORDERHISTORY: every row, newest first. */
export function historyResponse(order: Order | undefined, view: View): Cc5Response {
  const { orderId, merchant, modes } = view;
  const rows = order?.rows.toReversed() ?? [];
  const extra = {
    TERMINALID: merchant.options.terminalId,
    MERCHANTID: merchant.clientId,
    NUMCODE: "0",
    TRXCOUNT: String(rows.length),
    ...Object.fromEntries(rows.map((row, index) => [`TRX${index + 1}`, historyLine(row, view)])),
  };
  const isKnown = rows.length > 0;
  return {
    OrderId: orderId,
    GroupId: order?.groupId ?? "",
    Response: isKnown ? "Approved" : "Declined",
    ProcReturnCode: isKnown ? "00" : "05",
    ErrMsg: isKnown ? "" : notFoundText(orderId, modes),
    Extra: extra,
  };
}

/** Not found is not an error of the caller: the order's state is there, and empty. */
function unknownStatus({ orderId, modes }: View): Cc5Response {
  const names = ["ORD_ID", ...STATUS_FACTS.slice(1, 8)];
  return {
    OrderId: "",
    GroupId: "",
    Response: "Declined",
    AuthCode: "",
    HostRefNum: "",
    ProcReturnCode: "99",
    TransId: "",
    ErrMsg: notFoundText(orderId, modes),
    Extra: { NUMCODE: "0", ORDERSTATUS: names.map((name) => `${name}:`).join("\t") },
  };
}

function notFoundText(orderId: string, { language }: Modes): string {
  return language === "tr" ? `Kayıt bulunamadı ${orderId}` : `No record found for ${orderId}`;
}

function factsOf(order: Order, row: Row, view: View): Record<string, string> {
  const shown = shownOf(row, view);
  return {
    AUTH_CODE: row.authCode ?? "",
    AUTH_DTTM: shown.authorizedAt,
    CAPTURE_AMT: shown.captured,
    CAPTURE_DTTM: shown.capturedAt,
    CAVV_3D: row.authentication?.cavv ?? "",
    CHARGE_TYPE_CD: shown.chargeType,
    ECI_3D: row.authentication?.eci ?? "",
    HOSTDATE: hostDate(row.capturedAtMs ?? row.atMs),
    HOST_REF_NUM: row.hostReference ?? "",
    MDSTATUS: row.authentication?.mdStatus ?? "",
    ORD_ID: order.orderId,
    ORIG_TRANS_AMT: shown.original,
    PAN: row.pan?.replace(/^(.{4})(..).*(....)$/, "$1 $2** **** $3") ?? "",
    PROC_RET_CD: row.procReturnCode,
    SETTLEID: String(row.settledInBatch ?? ""),
    TRANS_ID: shown.transactionId,
    TRANS_STAT: shown.status,
    ...(row.voidedAtMs !== undefined && { VOID_DTTM: shown.voidedAt }),
    XID_3D: row.authentication?.xid ?? "",
  };
}

function statusLine(facts: Record<string, string>): string {
  return STATUS_FACTS.map((name) => `${name}:${facts[name] ?? ""}`).join("\t");
}

function historyLine(row: Row, view: View): string {
  const shown = shownOf(row, view);
  return [
    shown.chargeType,
    shown.status,
    shown.original,
    shown.captured,
    shown.authorizedAt,
    shown.capturedAt,
    shown.voidedAt,
    row.hostReference ?? "",
    row.authCode ?? "",
    row.procReturnCode,
    shown.transactionId,
    ...(row.settledInBatch === undefined ? [] : [String(row.settledInBatch)]),
  ].join("\t");
}

/** A row in the bank's words. Amounts are minor units, in contrast to everything else in the protocol. */
function shownOf(row: Row, { modes, transIdAfterCapture, nowMs, reversalMs, extraMinor }: View) {
  const isSaleBeforeEnd = row.kind === "payment" && !row.isHold && row.status === "captured";
  const showsAuthorized = modes.saleShownAuthorized && isSaleBeforeEnd;
  const captured = showsAuthorized ? undefined : row.capturedMinor;
  const capturedAtMs = showsAuthorized ? undefined : row.capturedAtMs;
  const amount = (minor: bigint) => String(minor + row.shownExtraMinor + extraMinor);
  const isAuthorized = row.status === "authorized" || showsAuthorized;
  return {
    chargeType: row.kind === "credit" ? "C" : "S",
    status: isReversing(row, nowMs, reversalMs) ? "R" : isAuthorized ? "A" : STATUSES[row.status],
    // Once a hold is captured its own amount is gone.
    original: amount(row.capturedMinor ?? row.amountMinor),
    captured: captured === undefined ? "" : amount(captured),
    authorizedAt: inquiryTime(row.atMs),
    capturedAt: capturedAtMs === undefined ? "" : inquiryTime(capturedAtMs),
    voidedAt: row.voidedAtMs === undefined ? "" : inquiryTime(row.voidedAtMs),
    transactionId:
      transIdAfterCapture === "capture" ? (row.captureTransactionId ?? row.transactionId) : row.transactionId,
  };
}

const STATUSES = { authorized: "A", captured: "C", settled: "S", voided: "V", declined: "D" } as const;

/** The facts that ORDERSTATUS repeats in one line, in its order. */
const STATUS_FACTS = [
  "ORD_ID",
  "CHARGE_TYPE_CD",
  "ORIG_TRANS_AMT",
  "CAPTURE_AMT",
  "TRANS_STAT",
  "AUTH_DTTM",
  "CAPTURE_DTTM",
  "AUTH_CODE",
  "TRANS_ID",
];
