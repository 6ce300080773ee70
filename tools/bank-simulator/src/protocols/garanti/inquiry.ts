import { inquiryTime, orderAsOf, shownUntil, transactionDate, when } from "../../core/index.ts";
import type { ShownTimes, Unkindness, XmlValues } from "../../core/index.ts";
import type { Modes } from "./config.ts";
import { resultOf } from "./gvps-answer.ts";
import { currencies } from "./gvps-request.ts";
import { TYPES, type BankOrder, type Entry } from "./ledger-line.ts";

/** The facts with which an order is shown. Times are epoch milliseconds. */
export type View = {
  order: BankOrder | undefined;
  /** All lines of the order, oldest first. */
  lines: readonly Entry[];
  modes: Modes & Unkindness;
  clock: ShownTimes;
  /** The bank's open day. */
  day: number;
  nowMs: number;
  /** An amount added to every shown amount, if a fault makes this answer wrong. */
  extraMinor: number;
};

/** The block of an inquiry's answer, and the code of its success or of its refusal. */
type Shown = { code: string; order: XmlValues };

/** The answer to `orderinq`: the order's payment and the names of its last movement. */
export function orderShown(view: View): Shown {
  const order = orderAsOf(view.order, shownUntil(view.nowMs, view.modes));
  const lines = shownLines(view);
  const row = when.approvedPayments(order).at(-1) ?? order?.rows.at(-1);
  const last = lines.findLast(({ outcome }) => outcome === "approved") ?? lines.at(-1);
  const hold = row?.isHold ? row.line : undefined;
  const paid = row && row.capturedMinor > 0n ? (row.capture ?? row.line) : undefined;
  const time = (line: Entry | undefined) => (line ? inquiryTime(view.clock, Date.parse(line.at)) : "");
  const { Code = "", ReasonCode = "" } = last ? resultOf(last.resultCode) : {};
  const shown = {
    ChargeType: "S",
    PreAuthAmount: amountOf(hold, view),
    PreAuthDate: time(hold),
    AuthAmount: amountOf(paid, view),
    AuthDate: time(paid),
    Status: row ? STATUSES[row.status] : "",
    InstallmentCnt: countOf(row?.line),
    ProvDate: time(last),
    Code,
    ReasonCode,
    RetrefNum: last?.hostReference ?? "",
    AuthCode: last?.authCode ?? "",
    BatchNum: String(last?.batch ?? ""),
    SequenceNum: last?.hostReference?.slice(-6).replace(/^0+/, "") ?? "",
    CardNumberMasked: row?.line.pan ?? "null",
  };
  return { code: row ? "found" : "0110", order: { OrderInqResult: shown } };
}

const PAID = "APPROVED";
/** The last two are in no recorded answer. */
const STATUSES = {
  captured: PAID,
  settled: PAID,
  authorized: "WAITINGPOSTAUTH",
  voided: "VOID",
  declined: "RED",
};

/** The answer to `orderhistoryinq`: every listed movement, with its date and without its time. */
export function historyShown(view: View): Shown {
  const lines = shownLines(view);
  const { voidsShown, captureInPlace } = view.modes;
  const rows = lines.filter(({ operation }) =>
    operation === "void" ? voidsShown !== "date" : operation !== "capture" || !captureInPlace,
  );
  const OrderTxn = rows.map((line) => txnOf(line, lines, view));
  return {
    code: rows.length > 0 ? "found" : "0108",
    order: { OrderHistInqResult: { OrderTxnList: { OrderTxn } } },
  };
}

function shownLines({ lines, nowMs, modes }: View): Entry[] {
  return lines.filter(({ at, listed }) => listed && Date.parse(at) <= shownUntil(nowMs, modes));
}

function txnOf(line: Entry, lines: readonly Entry[], view: View): XmlValues {
  const { clock, modes, day } = view;
  const { operation, transactionId, outcome, batch } = line;
  const date = (of: Entry | undefined) => (of ? transactionDate(clock, Date.parse(of.at)).slice(0, 8) : "");
  const isHold = operation === "authorize";
  const captured = lines.find(
    (each) => each.operation === "capture" && each.relatedTransactionId === transactionId,
  );
  const paid = !isHold ? line : modes.captureInPlace ? captured : undefined;
  const names = new Set([transactionId, paid?.transactionId]);
  const voided = lines.find((each) => each.operation === "void" && names.has(each.transactionId));
  const isDated = modes.voidsShown !== "row" && operation !== "void";
  return {
    Type: TYPES[operation],
    Status: outcome === "approved" ? "00" : "01",
    ReturnCode: line.resultCode,
    PreAuthAmount: amountOf(isHold ? line : undefined, view),
    AuthAmount: amountOf(paid, view),
    PreAuthDate: isHold ? date(line) : "",
    AuthDate: date(paid),
    VoidDate: isDated ? date(voided) : "",
    RetrefNum: line.hostReference ?? "",
    AuthCode: line.authCode ?? "",
    BatchNum: String(batch).padStart(6, "0"),
    InstallmentCnt: countOf(line),
    CurrencyCode: [...currencies].find(([, letters]) => letters === line.currency)?.[0] ?? "",
    Settlement: batch < day && !isHold && outcome === "approved" ? "E" : "N",
  };
}

function amountOf(line: Entry | undefined, { extraMinor }: View): string {
  return line ? String(line.amountMinor + (line.shownExtraMinor ?? 0) + extraMinor) : "0";
}

function countOf(line: Entry | undefined): string {
  return line && line.installments > 1 ? String(line.installments) : "0";
}
