import { inquiryTime, standingMinor, when, type ShownTimes } from "../../core/index.ts";
import { hostDate } from "./bank-time.ts";
import type { Cc5Response } from "./cc5-response.ts";
import { capturedAtMs, groupOf, type BankOrder, type BankRow } from "./ledger-line.ts";
import type { Merchant } from "./merchants.ts";
import type { Modes } from "./modes.ts";
import { isReversing } from "./rules.ts";

/** The facts with which rows are shown. Times are epoch milliseconds. */
export type View = {
  orderId: string;
  merchant: Merchant;
  modes: Modes;
  transIdAfterCapture: "capture" | "hold";
  clock: ShownTimes;
  nowMs: number;
  reversalMs: number;
  /** An amount added to every shown amount, if a fault makes this answer wrong. */
  extraMinor: bigint;
};

/**
 * The answer to ORDERSTATUS: the last approved movement, or the last failed one if none was approved.
 * `Approved` refers to the inquiry, not to the order. An unknown order is no error of the caller: its state
 * is empty.
 */
export function statusResponse(order: BankOrder | undefined, view: View): Cc5Response {
  const row = order?.rows.findLast((each) => !when.isUnknown({ row: each })) ?? order?.rows.at(-1);
  const facts = row && factsOf(row, view);
  const shown = facts ? STATUS_FACTS : STATUS_FACTS.slice(0, -1);
  return {
    OrderId: row ? view.orderId : "",
    GroupId: groupOf(order) ?? "",
    Response: row ? "Approved" : "Declined",
    AuthCode: row?.line.authCode ?? "",
    HostRefNum: row?.line.hostReference ?? "",
    ProcReturnCode: row ? "00" : "99",
    TransId: facts?.["TRANS_ID"] ?? "",
    ErrMsg: row ? `Record(s) found for ${view.orderId}` : notFoundText(view),
    Extra: {
      ...facts,
      NUMCODE: "0",
      ORDERSTATUS: shown.map((name) => `${name}:${facts?.[name] ?? ""}`).join("\t"),
    },
  };
}

/** The answer to ORDERHISTORY: every row, newest first. */
export function historyResponse(order: BankOrder | undefined, view: View): Cc5Response {
  const rows = order?.rows.toReversed().map((row) => factsOf(row, view)) ?? [];
  const isKnown = rows.length > 0;
  return {
    OrderId: view.orderId,
    GroupId: groupOf(order) ?? "",
    Response: isKnown ? "Approved" : "Declined",
    ProcReturnCode: isKnown ? "00" : "05",
    ErrMsg: isKnown ? "" : notFoundText(view),
    Extra: {
      TERMINALID: view.merchant.options.terminalId,
      MERCHANTID: view.merchant.clientId,
      NUMCODE: "0",
      TRXCOUNT: String(rows.length),
      ...Object.fromEntries(rows.map((facts, index) => [`TRX${index + 1}`, historyLine(facts)])),
    },
  };
}

/** The batch is there once the row is settled. */
function historyLine(facts: Facts): string {
  const cells = HISTORY_FACTS.map((name) => facts[name] ?? "");
  return (facts["SETTLEID"] ? [...cells, facts["SETTLEID"]] : cells).join("\t");
}

function notFoundText({ orderId, modes: { language } }: View): string {
  return language === "tr" ? `Kayıt bulunamadı ${orderId}` : `No record found for ${orderId}`;
}

type Facts = Record<string, string>;

/** A row in the bank's words. Amounts are minor units, in contrast to everything else in the protocol. */
function factsOf(row: BankRow, view: View): Facts {
  const { kind, status, line, capture } = row;
  const { authCode, hostReference, authentication, resultCode } = line;
  const showsAuthorized = view.modes.saleShownAuthorized && status === "captured" && when.isSale({ row });
  // A refused refund shows its amount as captured, although nothing has moved.
  const isCaptured = (row.capturedMinor > 0n || kind === "refund") && !showsAuthorized;
  const shownExtra = BigInt((capture ?? line).shownExtraMinor ?? 0);
  const amount = String(standingMinor(row) + shownExtra + view.extraMinor);
  const isReversed = isReversing(row, view.nowMs, view.reversalMs);
  return {
    AUTH_CODE: authCode ?? "",
    AUTH_DTTM: inquiryTime(view.clock, row.atMs),
    CAPTURE_AMT: isCaptured ? amount : "",
    CAPTURE_DTTM: isCaptured ? inquiryTime(view.clock, capturedAtMs(row)) : "",
    CAVV_3D: authentication?.cavv ?? "",
    CHARGE_TYPE_CD: kind === "refund" ? "C" : "S",
    ECI_3D: authentication?.eci ?? "",
    HOSTDATE: hostDate(view.clock, capturedAtMs(row)),
    HOST_REF_NUM: hostReference ?? "",
    MDSTATUS: authentication?.mdStatus ?? "",
    ORD_ID: line.orderId,
    ORIG_TRANS_AMT: amount,
    PAN: line.pan?.replace(/^(.{4})(..).*(....)$/, "$1 $2** **** $3") ?? "",
    PROC_RET_CD: resultCode.startsWith("CORE-") ? "99" : resultCode,
    SETTLEID: String(row.settledInDay ?? ""),
    TRANS_ID: (view.transIdAfterCapture === "capture" && row.captureId) || row.id,
    TRANS_STAT: isReversed ? "R" : showsAuthorized ? "A" : STATUSES[status],
    ...(row.void && { VOID_DTTM: inquiryTime(view.clock, Date.parse(row.void.at)) }),
    XID_3D: authentication?.xid ?? "",
  };
}

const STATUSES = { authorized: "A", captured: "C", settled: "S", voided: "V", declined: "D" } as const;

/** The facts that ORDERSTATUS repeats in one line, the last one of known orders only. */
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

/** The columns of ORDERHISTORY. */
const HISTORY_FACTS = [
  "CHARGE_TYPE_CD",
  "TRANS_STAT",
  "ORIG_TRANS_AMT",
  "CAPTURE_AMT",
  "AUTH_DTTM",
  "CAPTURE_DTTM",
  "VOID_DTTM",
  "HOST_REF_NUM",
  "AUTH_CODE",
  "PROC_RET_CD",
  "TRANS_ID",
];
